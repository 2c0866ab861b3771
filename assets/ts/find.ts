// What every page has of the search: its link in the header and its keys. The rest is
// loaded when it is used.

import { loadModule } from "./load";

/** The file with the rest, beside this one. */
declare const SEARCH_FILE: string;

interface Search {
  open(base: URL, keys: boolean): void;
  preparePage(main: HTMLElement, base: URL): void;
}

/** Makes the link in the header open the search, and the keys / Ctrl-K ?. */
export function prepareSearch(): void {
  const link = document.querySelector<HTMLAnchorElement>("a.find");
  if (!link) return;
  const base = new URL(".", link.href);
  const page = document.querySelector<HTMLElement>("main.search");
  const show = (keys: boolean): void => {
    const input = page?.querySelector<HTMLInputElement>(".query input");
    if (input && !keys) input.focus();
    else void load().then((search) => search.open(base, keys)).catch(() => { if (!page) location.href = link.href; });
  };
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(false);
  });
  document.addEventListener("keydown", (event) => {
    const control = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    if (!control && (event.ctrlKey || event.metaKey || event.altKey || isField(event.target))) return;
    if (!control && event.key !== "/" && event.key !== "?") return;
    event.preventDefault();
    show(event.key === "?");
  });
  if (page) void load().then((search) => search.preparePage(page, base)).catch(() => missing(page));
}

function load(): Promise<Search> {
  return loadModule<Search>(SEARCH_FILE);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Says on the results page that the search could not be loaded. */
function missing(page: HTMLElement): void {
  page.querySelector(".state")?.replaceChildren(
    location.protocol === "file:" ? "A page that was opened from a folder cannot load the search. Serve the site over HTTP." : "The search could not be loaded. Reload the page to try again.",
  );
}
