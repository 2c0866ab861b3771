// The switch that shows where the splits of a page begin, with their names and tokens:
// the page as an agent gets it.

const KEY = "packgen-splits";

/** Shows the marks when the reader has asked for them before. Storage may be closed to us. */
export function restoreMarks(): void {
  try {
    if (localStorage.getItem(KEY) === "shown") document.documentElement.dataset["marks"] = "";
  } catch {
    // The marks are then hidden until they are asked for.
  }
}

/** Gives a page with several splits its switch, beside the button that copies the page. */
export function prepareMarks(): void {
  const copy = document.querySelector(".meta .copy");
  if (!copy || !document.querySelector("article[data-splits]")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet marks";
  button.textContent = "Splits";
  button.title = "Show where the splits begin that agents get, with their tokens";
  copy.before(button);
  const root = document.documentElement;
  const say = (): void => button.setAttribute("aria-pressed", String(root.dataset["marks"] !== undefined));
  say();
  button.addEventListener("click", () => {
    if (root.dataset["marks"] === undefined) root.dataset["marks"] = "";
    else delete root.dataset["marks"];
    say();
    try {
      if (root.dataset["marks"] === undefined) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, "shown");
    } catch {
      // The choice then lasts as long as the page.
    }
  });
}
