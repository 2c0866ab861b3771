// The switch that shows where the splits of a page begin, with their names and tokens:
// the page as an agent gets it.

import { MARKS } from "./choices";
import { loadModule } from "./load";

/** The file with what is shown of a split, beside this one. */
declare const SPLITS_FILE: string;

interface Splits {
  show(article: HTMLElement, files: [HTMLElement, URL][], base: URL): Promise<void>;
}

/** Gives a page its switch, beside the button that copies the page. */
export function prepareMarks(): void {
  const copy = document.querySelector(".meta .copy");
  const article = document.querySelector<HTMLElement>("article");
  if (!copy || !article) return;
  const files = splitsOf(article);
  if (files.length === 0) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet marks";
  button.textContent = "Splits";
  button.title = "Show what agents get: where the splits begin, their tokens and keywords, and which tasks of the evals load them";
  copy.before(button);
  const root = document.documentElement;
  const say = (): void => {
    const shown = root.dataset["marks"] !== undefined;
    button.setAttribute("aria-pressed", String(shown));
    const base = document.querySelector<HTMLAnchorElement>("a.find");
    if (!base || location.protocol === "file:") article.dataset["routed"] = "shown"; // no room is kept for what cannot come
    if (!shown || !base || location.protocol === "file:") return;
    void loadModule<Splits>(SPLITS_FILE).then((splits) => splits.show(article, files, new URL(".", base.href))).catch(() => undefined);
  };
  say();
  button.addEventListener("click", () => {
    if (root.dataset["marks"] === undefined) root.dataset["marks"] = "";
    else delete root.dataset["marks"];
    say();
    try {
      if (root.dataset["marks"] === undefined) localStorage.removeItem(MARKS);
      else localStorage.setItem(MARKS, "shown");
    } catch {
      // The choice then lasts as long as the page.
    }
  });
}

/** The splits of the page: the mark of each, or the article when it is one split, and the file. */
function splitsOf(article: HTMLElement): [HTMLElement, URL][] {
  const folder = article.dataset["splits"];
  if (folder === undefined) {
    const one = document.querySelector<HTMLAnchorElement>('.meta a[href*="compiled/splits/"]');
    return one ? [[article, new URL(one.href)]] : [];
  }
  return [...document.querySelectorAll<HTMLElement>("main .cut")].flatMap((mark): [HTMLElement, URL][] => {
    const name = mark.querySelector("b, a")?.textContent;
    return name ? [[mark, new URL(`${folder}${encodeURIComponent(name)}.md`, location.href)]] : [];
  });
}
