// The results page. The query and its filters are in the address.

import { Form } from "./form";
import { remember } from "./recent";

const MORE = 20; // pages that are added at once
const MOST = 400; // pages that are listed again at once

/** Where the reader was when the page was left: how many pages were listed, and how far down. */
interface Place {
  readonly pages: number;
  readonly top: number;
}

/** Prepares the results page. */
export function preparePage(main: HTMLElement, base: URL): void {
  const find = <T extends HTMLElement>(selector: string): T => {
    const element = main.querySelector<T>(selector);
    if (!element) throw new Error(`the page has no ${selector}`);
    return element;
  };
  const input = find<HTMLInputElement>(".query input");
  const parts = { input, filters: find(".filters"), state: find(".state"), list: find(".results") };
  const more = document.createElement("button");
  more.type = "button";
  more.className = "quiet further";
  more.textContent = "More pages";
  more.hidden = true;
  parts.list.after(more);
  let place = placeOf(history.state);
  const form = new Form(base, false, { pages: place?.pages ?? MORE, sections: 3 }, parts);
  const title = document.title;
  const wanted = new URLSearchParams(location.search);
  input.value = (wanted.get("q") ?? "").slice(0, 500);
  form.shown = () => {
    const asked = form.text.trim() !== "";
    main.classList.toggle("asked", asked);
    more.hidden = form.list.childElementCount < form.measure.pages;
    const url = new URL(location.href);
    url.search = "";
    if (asked) url.searchParams.set("q", form.text);
    for (const [name, value] of Object.entries(form.filter)) if (value) url.searchParams.set(name, value);
    if (url.href !== location.href) history.replaceState(null, "", url);
    document.title = asked ? `${form.text.trim().slice(0, 80)} · ${title}` : title;
    if (place) scrollTo(0, place.top);
    place = undefined;
  };
  // Whoever comes back from a hit finds the list where it was left.
  addEventListener("pagehide", () => history.replaceState({ pages: form.measure.pages, top: scrollY } satisfies Place, ""));
  input.addEventListener("input", () => (form.measure = { ...form.measure, pages: MORE }));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    remember(form.text);
    void form.ask();
  });
  more.addEventListener("click", () => {
    form.measure = { ...form.measure, pages: form.measure.pages + MORE };
    void form.ask();
  });
  input.focus({ preventScroll: true });
  void form.open(wanted);
}

/** Reads a place from the history of the tab, which another script may have written. */
function placeOf(state: unknown): Place | undefined {
  const { pages, top } = (state ?? {}) as Partial<Place>;
  return Number.isInteger(pages) && typeof top === "number" ? { pages: Math.min(Math.max(pages as number, MORE), MOST), top } : undefined;
}
