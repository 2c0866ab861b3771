// Links that every heading and every split mark of an article gets. They are
// made here, because spelled out they would be a fifth of a page's HTML.

/** Gives headings a link to themselves, and split marks one to their file. */
export function linkHeadings(): void {
  const article = document.querySelector<HTMLElement>("article.prose");
  if (!article) return;
  for (const heading of article.querySelectorAll("h2[id], h3[id], h4[id], h5[id], h6[id]")) {
    const link = document.createElement("a");
    link.className = "h";
    link.href = "#" + encodeURIComponent(heading.id);
    link.setAttribute("aria-label", "Link to this section, copied when followed");
    link.addEventListener("click", () => {
      const address = new URL(link.hash, location.href).href;
      navigator.clipboard?.writeText(address).then(
        () => {
          link.classList.add("copied");
          setTimeout(() => link.classList.remove("copied"), 1600);
        },
        () => undefined, // the address is in the bar all the same
      );
    });
    heading.append(link);
  }
  const folder = article.dataset["splits"];
  if (!folder) return;
  for (const stem of article.querySelectorAll("p.cut > b")) {
    const link = document.createElement("a");
    link.textContent = stem.textContent;
    link.href = `${folder}${encodeURIComponent(stem.textContent ?? "")}.md`;
    link.title = "The split as an agent reads it";
    stem.replaceWith(link);
  }
}
