// The Copy Markdown button: it fetches the raw file that is beside the page
// (agent-knowledge section 20).

/** Shows the button on pages that link to their Markdown. The stylesheet keeps room for it. */
export function showCopyButton(): void {
  const link = document.querySelector(".meta > a[rel=alternate], .tabs > a[rel=alternate]");
  let button = document.querySelector<HTMLButtonElement>("button.copy");
  if (link && !button) {
    button = document.createElement("button");
    button.type = "button";
    button.className = "quiet copy";
    button.textContent = "Copy";
    button.title = "Copy the Markdown of this page";
    link.after(button);
  }
  // A page opened from a folder may not read its neighbours.
  if (!button || !(link instanceof HTMLAnchorElement) || !location.protocol.startsWith("http")) return;
  button.classList.add("on");
  button.addEventListener("click", () => {
    void copy(link.href).then(
      () => flash(button, "Copied"),
      () => flash(button, "Could not copy"),
    );
  });
}

async function copy(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  await navigator.clipboard.writeText(await answer.text());
}

/** Shows a word on a button for a moment. */
export function flash(button: HTMLButtonElement, word: string): void {
  const usual = button.dataset["usual"] ?? button.textContent ?? "";
  button.dataset["usual"] = usual;
  button.textContent = word;
  setTimeout(() => {
    button.textContent = usual;
  }, 1600);
}
