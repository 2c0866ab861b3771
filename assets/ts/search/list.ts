// The list of hits: sections, grouped by page.

import { excerpt, marked } from "./excerpt";
import type { Files } from "./files";
import type { Found, Hit } from "./score";
import type { Words } from "./words";

/** How many pages a list shows, and how many sections of each. */
export interface Measure {
  readonly pages: number;
  readonly sections: number;
}

/** A list with what is left out of it. */
export interface Listed {
  readonly groups: HTMLElement[];
  readonly shown: number; // sections
}

/** Makes the groups of the best pages. Options says that the hits are options of a listbox. */
export async function listed(files: Files, words: Words, found: Found, measure: Measure, options: boolean): Promise<Listed> {
  const pages = new Map<number, Hit[]>();
  for (const hit of found.hits) {
    const page = pages.get(hit.page);
    if (page) page.push(hit);
    else if (pages.size < measure.pages) pages.set(hit.page, [hit]);
  }
  let shown = 0;
  const groups = [...pages.values()].map(async (hits) => {
    const best = hits.slice(0, measure.sections);
    shown += best.length;
    return group(files, words, found, best, hits.length - best.length, options);
  });
  return { groups: await Promise.all(groups), shown };
}

async function group(files: Files, words: Words, { stems, sections }: Found, hits: Hit[], more: number, options: boolean): Promise<HTMLElement> {
  const box = document.createElement("div");
  box.className = "onpage";
  const head = document.createElement("p");
  head.className = "page";
  box.append(head);
  const shown = await Promise.all(hits.map((hit) => files.title(hit.pack, hit.place)));
  hits.forEach((hit, i) => {
    const found = shown[i];
    const pack = files.root.packs[hit.pack];
    if (!found || !pack) return;
    const { page, section } = found;
    if (!head.hasChildNodes()) {
      head.append(span("title", ...marked(page[1], stems, words)), span("pack", pack.name));
      if (pack.status) head.append(span(`badge ${pack.status}`, pack.status.replace("-", " ")));
    }
    const link = document.createElement("a");
    link.className = "found";
    link.href = new URL(pack.dir + page[0] + (section[0] ? "#" + section[0] : ""), files.base).href;
    const path = [...(section[4] ?? []), section[1] || page[1]].join(" › ");
    const facts = span("facts", `${count(section[2])} tokens`);
    if (hit.status !== pack.status) facts.prepend(span(`badge ${hit.status}`, hit.status.replace("-", " ")), " ");
    if (sections === 0) facts.append(" · ", score(hit.score));
    const text = span("text", "");
    text.dataset["pack"] = String(hit.pack);
    text.dataset["text"] = section[3];
    link.append(span("name", ...marked(path, stems, words)), facts, text);
    if (options) {
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", "false");
      link.tabIndex = -1;
    }
    box.append(link);
  });
  if (options) {
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", head.textContent ?? "");
    head.setAttribute("role", "presentation");
  }
  if (more > 0) head.append(span("more", `${count(more)} more`));
  return box;
}

function score(value: number): HTMLElement {
  const box = span("score", value.toFixed(2));
  box.title = "How much of the query the section meets, in percent, as packgen resolve scores it";
  return box;
}

/** Fills in the texts of hits once they are in view. */
export class Texts {
  private readonly seen: IntersectionObserver;
  private stems = new Set<string>();

  constructor(
    private readonly files: Files,
    private readonly words: Words,
  ) {
    this.seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue;
        this.seen.unobserve(target);
        void this.fill(target);
      }
    });
  }

  watch(box: HTMLElement, stems: Set<string>): void {
    this.seen.disconnect();
    this.stems = stems;
    for (const text of box.querySelectorAll(".found .text")) this.seen.observe(text);
  }

  private async fill(text: HTMLElement): Promise<void> {
    const stems = this.stems;
    try {
      const markdown = await this.files.markdown(Number(text.dataset["pack"]), text.dataset["text"] ?? "");
      text.replaceChildren(...marked(excerpt(markdown, stems, this.words), stems, this.words));
    } catch {
      // The title says what there is.
    }
  }
}

export function span(kind: string, ...content: (string | HTMLElement)[]): HTMLElement {
  const box = document.createElement("span");
  box.className = kind;
  box.append(...content);
  return box;
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}
