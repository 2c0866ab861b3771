// The table of contents: folded on narrow screens, and following the reader on
// wide ones.

/** Wide enough for the contents to stand beside the text; as in layout.css. */
const BESIDE = "(min-width: 82rem)";

/** Prepares the page's table of contents, if it has one. */
export function prepareContents(): void {
  const box = document.querySelector<HTMLDetailsElement>(".toc");
  if (!box) return;
  const wide = matchMedia(BESIDE);
  const fold = (): void => {
    box.open = wide.matches;
  };
  fold();
  wide.addEventListener("change", fold);
  follow(box);
}

/** Marks the line of the section that is being read. */
function follow(box: HTMLElement): void {
  const lines = new Map<Element, HTMLAnchorElement>();
  for (const line of box.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
    const heading = document.getElementById(decodeURIComponent(line.hash.slice(1)));
    if (heading) lines.set(heading, line);
  }
  let marked: HTMLAnchorElement | undefined;
  const watcher = new IntersectionObserver(
    (seen) => {
      const top = seen.find((entry) => entry.isIntersecting);
      const line = top && lines.get(top.target);
      if (!line) return;
      marked?.removeAttribute("aria-current");
      line.setAttribute("aria-current", "location");
      marked = line;
    },
    { rootMargin: "0px 0px -70% 0px" },
  );
  for (const heading of lines.keys()) watcher.observe(heading);
}
