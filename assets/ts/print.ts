// Puts the texts of the pages of a pack below each other, and offers to print them.

const AT_ONCE = 6; // pages that are loaded at the same time

/** Takes the texts of the pages that a list names; a page that cannot be loaded stays a link. */
export async function fillSheaf(list: HTMLOListElement): Promise<void> {
  const state = list.previousElementSibling;
  const links = [...list.querySelectorAll("a")];
  const parts = links.map(() => document.createElement("section"));
  let next = 0;
  let lost = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < links.length; i = next++) {
      const [link, part] = [links[i], parts[i]] as [HTMLAnchorElement, HTMLElement];
      await fill(part, link.href).catch(() => {
        lost++;
        part.append(link.cloneNode(true));
      });
      if (state) state.textContent = `${i + 1} of ${links.length} pages…`;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Print";
  button.addEventListener("click", () => print());
  if (state) state.textContent = lost > 0 ? `${lost} of ${links.length} pages could not be loaded; reload to try again. ` : `${links.length} pages. `;
  state?.append(button);
  list.before(...parts);
  list.remove();
  document.documentElement.dataset["sheaf"] = "";
}

/** Title and text of a page. What names or leads to a place of it is made to fit this one. */
async function fill(part: HTMLElement, address: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const article = page.querySelector("main article.prose");
  if (!article) throw new Error("no text");
  const title = page.querySelector("main h1");
  for (const from of [title, article]) {
    if (!from) continue;
    const copy = document.importNode(from, true);
    for (const element of [copy, ...copy.querySelectorAll("*")]) {
      element.removeAttribute("id");
      for (const name of ["href", "src"]) {
        const value = element.getAttribute(name);
        if (value !== null) element.setAttribute(name, new URL(value, address).href);
      }
      if (element instanceof HTMLImageElement) element.loading = "eager";
      if (element instanceof HTMLDetailsElement) element.open = true;
      if (element instanceof HTMLElement && element.matches("pre, .scroll")) element.tabIndex = 0; // it may scroll
    }
    part.append(copy);
  }
}
