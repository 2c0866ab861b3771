// The list of hits: sections, grouped by page.

import { excerpt, marked } from "./excerpt";
import type { Files, ShownPage, ShownSection } from "./files";
import { order, type Group } from "./order";
import type { Pack } from "./root";
import type { Found, Hit } from "./score";
import type { Words } from "./words";

/** How many pages a list shows, and how many sections of each. */
export interface Measure {
  readonly pages: number;
  readonly sections: number;
}

/** How hits are shown. */
export interface Manner {
  readonly query: string;
  readonly measure: Measure;
  readonly options: boolean; // hits are options of a listbox
  /** Is called with what is shown later, when a page is unfolded. */
  readonly added: (found: HTMLElement[]) => void;
}

/** Makes the groups of the best pages. */
export async function listed(files: Files, words: Words, found: Found, manner: Manner): Promise<HTMLElement[]> {
  const pages = new Map<number, Hit[]>();
  for (const hit of found.hits) {
    const page = pages.get(hit.page);
    if (page) page.push(hit);
    else if (pages.size < manner.measure.pages) pages.set(hit.page, [hit]);
  }
  const groups = await Promise.all([...pages.values()].map(async (hits) => {
    const shown = hits[0] && (await files.title(hits[0].pack, hits[0].place));
    return shown ? [{ hits, page: shown.page }] : [];
  }));
  const lister = new Lister(files, words, found, manner);
  return Promise.all(order(groups.flat(), manner.query, words).map((group) => lister.group(group)));
}

const UNFOLDED = 40; // sections that one step more of a page shows

class Lister {
  constructor(
    private readonly files: Files,
    private readonly words: Words,
    private readonly found: Found,
    private readonly manner: Manner,
  ) {}

  /** A page with its best sections, and what shows the others. */
  async group({ hits, page }: Group): Promise<HTMLElement> {
    const box = document.createElement("div");
    box.className = "onpage";
    const head = document.createElement("p");
    head.className = "page";
    const pack = this.files.root.packs[hits[0]?.pack ?? -1];
    head.append(span("title", ...marked(page[1], this.found.stems, this.words)), span("pack", pack?.name ?? ""));
    if (pack?.status) head.append(span(`badge ${pack.status}`, pack.status.replace("-", " ")));
    const { sections } = this.manner.measure;
    box.append(head, ...(await this.rows(hits.slice(0, sections))));
    if (this.manner.options) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", head.textContent ?? "");
      head.setAttribute("role", "presentation");
    }
    if (hits.length > sections) box.append(this.further(hits.slice(sections)));
    return box;
  }

  /** What shows the other sections of a page in its place. */
  private further(hits: Hit[]): HTMLElement {
    const more = document.createElement(this.manner.options ? "div" : "button");
    more.className = "unfold";
    more.textContent = `${count(hits.length)} more in this page`;
    if (more instanceof HTMLButtonElement) more.type = "button";
    else option(more);
    more.addEventListener("click", () => void this.unfold(more, hits).catch(() => (more.textContent = "The other sections could not be loaded: try again")));
    return more;
  }

  private async unfold(more: HTMLElement, hits: Hit[]): Promise<void> {
    const rows = await this.rows(hits.slice(0, UNFOLDED));
    if (!more.isConnected) return;
    const left = hits.slice(UNFOLDED);
    more.replaceWith(...rows, ...(left.length > 0 ? [this.further(left)] : []));
    this.manner.added(rows);
  }

  private async rows(hits: Hit[]): Promise<HTMLElement[]> {
    const rows = await Promise.all(hits.map(async (hit) => {
      const shown = await this.files.title(hit.pack, hit.place);
      const pack = this.files.root.packs[hit.pack];
      return shown && pack ? [this.row(hit, shown, pack)] : [];
    }));
    return rows.flat();
  }

  private row(hit: Hit, { page, section }: { page: ShownPage; section: ShownSection }, pack: Pack): HTMLElement {
    const { stems, sections } = this.found;
    const link = document.createElement("a");
    link.className = "found";
    link.href = new URL(pack.dir + page[0] + (section[0] ? "#" + section[0] : ""), this.files.base).href;
    const path = [...(section[4] ?? []), section[1] || page[1]].join(" › ");
    const facts = span("facts", `${count(section[2])} tokens`);
    if (hit.status !== pack.status) facts.prepend(span(`badge ${hit.status}`, hit.status.replace("-", " ")), " ");
    if (sections === 0) facts.append(" · ", score(hit.score));
    const text = span("text", "");
    text.dataset["pack"] = String(hit.pack);
    text.dataset["text"] = section[3];
    link.append(span("name", ...marked(path, stems, this.words)), facts, text);
    if (this.manner.options) option(link);
    return link;
  }
}

function option(row: HTMLElement): void {
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", "false");
  row.tabIndex = -1;
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
    this.add([box]);
  }

  /** Watches more, for the same words. */
  add(boxes: HTMLElement[]): void {
    for (const box of boxes) for (const text of box.querySelectorAll(".found .text, :scope > .text")) this.seen.observe(text);
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
