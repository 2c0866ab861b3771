// The content of a page that is being written, put in the place of the old one. What the
// reader has is kept: the place on the page, the focus, which boxes are open.

/** The parts of a page that are replaced. */
const PARTS = "main, nav.side, footer.foot";

/** What of the head says nothing about how the page is made. */
const FACTS = "title, meta[name], meta[property], link[rel=canonical], script[data-sum]";

/** All of a page but its content: when two pages differ in it, one is not made from the other in place. */
export function shellOf(page: Document): string {
  const copy = page.documentElement.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll(PARTS)) part.replaceChildren();
  for (const fact of copy.querySelectorAll(FACTS)) fact.remove();
  return `${page.documentElement.lang} ${page.documentElement.dir} ${copy.innerHTML.replace(/\s*<\/body>$/, "")}`;
}

/** Replaces the content of this page; false when the page must be loaded again. */
export function replaceContent(next: Document, shell: string): boolean {
  // A script besides that of every page knows the old content only.
  if (next.querySelectorAll("script").length !== 2 || next.querySelector("main.search")) return false;
  if (shellOf(next) !== shell) return false;
  const parts = [...document.querySelectorAll<HTMLElement>(PARTS)];
  const others = [...next.querySelectorAll<HTMLElement>(PARTS)];
  if (parts.length !== others.length) return false;
  const { scrollX, scrollY } = window;
  const focus = focused();
  parts.forEach((part, i) => {
    const other = others[i] as HTMLElement;
    keepOpen(part, other);
    part.replaceChildren(...other.childNodes);
  });
  replaceFacts(next);
  document.dispatchEvent(new Event("packgen:content"));
  scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  focus()?.focus({ preventScroll: true });
  return true;
}

function replaceFacts(next: Document): void {
  document.title = next.title;
  for (const meta of document.head.querySelectorAll("meta[name], meta[property], link[rel=canonical]")) meta.remove();
  document.head.append(...next.head.querySelectorAll("meta[name], meta[property], link[rel=canonical]"));
}

/** Opens and closes the boxes of a new part as those of the old one are. */
function keepOpen(part: HTMLElement, other: HTMLElement): void {
  const boxes = part.querySelectorAll("details");
  other.querySelectorAll("details").forEach((box, i) => {
    const before = boxes[i];
    if (before) box.open = before.open;
  });
}

/** How to find what has the focus after the page is another one: its id, or its place among those of its kind. */
function focused(): () => HTMLElement | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !active.closest(PARTS)) return () => null;
  if (active.id) return () => document.getElementById(active.id);
  const kind = active.localName;
  const at = [...document.querySelectorAll(kind)].indexOf(active);
  return () => document.querySelectorAll<HTMLElement>(kind)[at] ?? null;
}
