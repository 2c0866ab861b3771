// The content of a page that is being written, put in the place of the old one. What the
// reader has is kept: the place on the page, the focus, which boxes are open.

/** The parts of a page that are replaced. */
const PARTS = "main, nav.side, footer.foot";

/** What of the head says nothing about how the page is made. */
const FACTS = "title, meta[name], meta[property], link[rel=canonical], script[data-sum]";

/** What a page is: all but its content, which decides whether another one is made from it in place, and the content as it came. */
export interface Shell {
  readonly frame: string;
  readonly parts: string[];
}

/** The shell of a page as it came, before other scripts add to it. */
export function shellOf(page: Document): Shell {
  const parts = [...page.querySelectorAll(PARTS)].map((part) => part.innerHTML);
  const copy = page.documentElement.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll(PARTS)) part.replaceChildren();
  return { frame: frameOf(copy), parts };
}

/** A page whose parts are empty, without what says nothing about how it is made. */
function frameOf(page: HTMLElement): string {
  for (const fact of page.querySelectorAll(FACTS)) fact.remove();
  return `${page.lang} ${page.dir} ${page.innerHTML.replace(/\s*<\/body>$/, "")}`;
}

/** Replaces the content of this page and returns the shell of the new one; null when the page must be loaded again. */
export function replaceContent(next: Document, shell: Shell): Shell | null {
  // A script besides that of every page knows the old content only.
  if (next.querySelectorAll("script").length !== 2 || next.querySelector("main.search")) return null;
  const title = next.title;
  const facts = [...next.head.querySelectorAll("meta[name], meta[property], link[rel=canonical]")];
  const places = [...document.querySelectorAll<HTMLElement>(PARTS)];
  const others = [...next.querySelectorAll<HTMLElement>(PARTS)];
  const parts = others.map((part) => part.innerHTML);
  const fresh = others.map((part) => {
    const inside = new DocumentFragment();
    inside.append(...part.childNodes);
    return inside;
  });
  const frame = frameOf(next.documentElement);
  if (places.length !== fresh.length || frame !== shell.frame) return null;
  const { scrollX, scrollY } = window;
  const focus = focused();
  places.forEach((place, i) => {
    if (parts[i] === shell.parts[i] && place.matches(".side")) return; // it may show the tree by now
    keepOpen(place, fresh[i] as DocumentFragment);
    place.replaceChildren(fresh[i] as DocumentFragment);
  });
  document.title = title;
  for (const fact of document.head.querySelectorAll("meta[name], meta[property], link[rel=canonical]")) fact.remove();
  document.head.append(...facts);
  document.dispatchEvent(new Event("packgen:content"));
  scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  focus()?.focus({ preventScroll: true });
  return { frame, parts };
}

/** Opens and closes the boxes of a new part as those of the old one are. */
function keepOpen(part: HTMLElement, other: DocumentFragment): void {
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
