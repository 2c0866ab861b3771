// The field and the filters, which the dialog and the results page share.

import { Files, ChangedError } from "./files";
import { Texts, count, listed, span, type Measure } from "./list";
import { Search, type Filter } from "./score";
import { Words } from "./words";

const MAX = 500; // characters of a query that are looked at
const PAUSE = 80; // milliseconds of quiet before a question is asked

interface Engine {
  readonly files: Files;
  readonly search: Search;
  readonly words: Words;
  readonly texts: Texts;
}

const engines = new Map<string, Promise<Engine>>();

/** Opens the index of a site, once. */
function engine(base: URL): Promise<Engine> {
  let opened = engines.get(base.href);
  if (!opened) {
    opened = Files.open(base).then((files) => {
      const words = new Words(files.root.rules);
      return { files, words, search: new Search(files), texts: new Texts(files, words) };
    });
    engines.set(base.href, opened);
    opened.catch(() => engines.delete(base.href));
  }
  return opened;
}

/** Asks while the reader types, and shows what is found. */
export class Form {
  readonly input: HTMLInputElement;
  readonly filters: HTMLElement;
  readonly state: HTMLElement;
  readonly list: HTMLElement;
  /** Is called after each answer. */
  shown: () => void = () => {};
  /** Is called with the sections of a page that were asked for. */
  unfolded: (rows: HTMLElement[]) => void = (rows) => rows[0]?.focus();
  /** Shows something when nothing is asked. */
  empty: () => HTMLElement[] = () => [];
  private timer: number | undefined;
  private asked = 0;
  /** What the filters will be, until they are offered. */
  private chosen: URLSearchParams | undefined;

  constructor(
    private readonly base: URL,
    private readonly options: boolean,
    public measure: Measure,
    parts: { input: HTMLInputElement; filters: HTMLElement; state: HTMLElement; list: HTMLElement },
  ) {
    this.input = parts.input;
    this.filters = parts.filters;
    this.state = parts.state;
    this.list = parts.list;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.ask(), PAUSE);
    });
    this.filters.addEventListener("change", () => void this.ask());
  }

  /** What is asked for. */
  get text(): string {
    return this.input.value.slice(0, MAX);
  }

  get filter(): Filter {
    const value = (name: string): string | undefined => this.filters.querySelector<HTMLSelectElement>(`select[name=${name}]`)?.value || undefined;
    return { pack: value("pack"), kind: value("kind"), status: value("status") };
  }

  /** Reads the index, offers its filters and looks for what is in the field. */
  async open(chosen: URLSearchParams): Promise<void> {
    this.chosen = chosen;
    try {
      await this.ready();
    } catch (error) {
      return this.fault(error);
    }
    await this.ask();
  }

  /** The index, once its filters are offered. */
  private async ready(): Promise<Engine> {
    const opened = await engine(this.base);
    const { packs, offered } = opened.files.root;
    const { chosen } = this;
    this.chosen = undefined;
    if (chosen) {
      this.filters.replaceChildren(
        ...choice("pack", "All packs", packs.map((pack) => pack.name), chosen),
        ...choice("kind", "All kinds", offered.kinds, chosen),
        ...choice("status", "Any status", offered.statuses, chosen),
      );
    }
    return opened;
  }

  /** Looks for what is in the field. Its last word may continue, also once it is sent: who was shown hits keeps them. */
  async ask(): Promise<void> {
    clearTimeout(this.timer);
    const n = ++this.asked;
    const text = this.text;
    if (text.trim() === "") {
      this.state.replaceChildren();
      this.list.replaceChildren(...this.empty());
      this.shown();
      return;
    }
    const slow = setTimeout(() => n === this.asked && this.state.replaceChildren("Searching …"), 400);
    try {
      const { files, search, words, texts } = await this.ready();
      const found = await search.find(text, this.filter, !this.options);
      const added = (rows: HTMLElement[]): void => {
        texts.add(rows);
        this.unfolded(rows);
      };
      const groups = await listed(files, words, found, { query: text, measure: this.measure, options: this.options, added });
      if (n !== this.asked) return;
      const pages = new Set(found.hits.map((hit) => hit.page)).size;
      this.state.replaceChildren(
        pages === 0
          ? nothing(text, words)
          : found.sections > 0
            ? `The best of more than ${count(found.sections)} sections.`
            : `${count(found.hits.length)} ${found.hits.length === 1 ? "section" : "sections"} on ${count(pages)} ${pages === 1 ? "page" : "pages"}, best first.`,
      );
      this.list.replaceChildren(...groups);
      texts.watch(this.list, found.stems);
      this.shown();
    } catch (error) {
      if (n === this.asked) this.fault(error);
    } finally {
      clearTimeout(slow); // or it would replace what was just said
    }
  }

  /** Says what went wrong, and offers what may help. */
  private fault(error: unknown): void {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    if (error instanceof ChangedError) {
      button.textContent = "Reload";
      button.addEventListener("click", () => location.reload());
    } else {
      button.textContent = "Try again";
      button.addEventListener("click", () => {
        this.input.focus(); // the button goes
        void (this.chosen ? this.open(this.chosen) : this.ask());
      });
    }
    const text = location.protocol === "file:" ? "A page that was opened from a folder cannot read the search index. Serve the site over HTTP." : error instanceof Error ? error.message : String(error);
    this.state.replaceChildren(span("fault", text), " ", button);
    this.list.replaceChildren();
    this.shown();
  }
}

/** Says why there is no hit. */
function nothing(text: string, words: Words): string {
  return words.all(text, false).length === 0 ? "The query has no word to look for. Words such as “the” and “how” are left out." : "No section has these words. Try others, or fewer filters.";
}

/** A choice of one of several values; nothing where there is only one. */
function choice(name: string, any: string, values: string[], chosen: URLSearchParams): HTMLElement[] {
  if (values.length < 2) return [];
  const select = document.createElement("select");
  select.name = name;
  select.setAttribute("aria-label", name);
  select.append(new Option(any, ""), ...values.map((value) => new Option(name === "status" ? value.replace("-", " ") : value, value)));
  select.value = chosen.get(name) ?? "";
  if (select.selectedIndex < 0) select.value = "";
  return [select];
}
