// The dialog: a field with a list below it, for the keyboard first.

import { Form } from "./form";
import { span } from "./list";
import { forget, recent, remember } from "./recent";

const KEYS: [string, string][] = [
  ["/", "search, from anywhere on a page"],
  ["Ctrl K", "the same, from a field too"],
  ["↑ ↓", "choose a section"],
  ["Enter", "open it"],
  ["Esc", "close"],
  ["?", "show these keys"],
];

const MEASURE = { pages: 8, sections: 3 };

/** The dialog of a page. */
export class Dialog {
  private readonly box = document.createElement("dialog");
  private readonly form: Form;
  private readonly keys: HTMLElement;
  private active: HTMLElement | undefined;

  constructor(private readonly base: URL) {
    this.box.className = "seek";
    this.box.setAttribute("aria-label", "Search");
    const input = document.createElement("input");
    input.type = "text";
    input.enterKeyHint = "search";
    input.placeholder = "Search the packs";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.maxLength = 500;
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-label", "Search the packs");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", "seek.list");
    const close = button("Close", () => this.box.close());
    close.classList.add("close");
    const filters = div("filters");
    const state = div("state");
    state.setAttribute("role", "status");
    const list = div("results");
    list.id = "seek.list";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Sections");
    this.keys = keyList();
    this.keys.hidden = true;
    const help = button("Keys", () => (this.keys.hidden = !this.keys.hidden));
    const foot = div("end");
    const all = document.createElement("a");
    all.className = "all";
    all.textContent = "All results on a page";
    foot.append(all, help);
    const bar = div("field");
    bar.append(input, close);
    this.box.append(bar, filters, state, list, this.keys, foot);
    document.body.append(this.box);
    // The keyboard of a phone makes the page shorter, rather than to cover the end of the list.
    const view = document.querySelector<HTMLMetaElement>("meta[name=viewport]");
    if (view) view.content += ",interactive-widget=resizes-content";
    this.form = new Form(base, true, MEASURE, { input, filters, state, list });
    this.form.empty = () => this.recents();
    this.form.shown = () => {
      all.href = this.results();
      this.choose(this.items()[0]);
    };
    this.form.unfolded = (rows) => {
      this.choose(rows[0]);
      this.form.input.focus();
    };
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", (event) => this.click(event));
    all.addEventListener("click", () => remember(this.form.text));
    void this.form.open(new URLSearchParams());
  }

  /** Shows the dialog, with the list of keys when that is asked for. */
  show(keys: boolean): void {
    this.keys.hidden = !keys;
    if (!this.box.open) this.box.showModal();
    this.form.input.focus();
    this.form.input.select();
  }

  /** The address of the results page. */
  private results(): string {
    const url = new URL("search.html", this.base);
    url.searchParams.set("q", this.form.text);
    for (const [name, value] of Object.entries(this.form.filter)) if (value) url.searchParams.set(name, value);
    return url.href;
  }

  private items(): HTMLElement[] {
    return [...this.form.list.querySelectorAll<HTMLElement>("[role=option]")];
  }

  private recents(): HTMLElement[] {
    const list = recent();
    if (list.length === 0) return [];
    const items = list.map((text) => {
      const item = div("again");
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.textContent = text;
      return item;
    });
    const clear = button("Forget recent searches", () => {
      forget();
      void this.form.ask();
      this.form.input.focus();
    });
    // Beside the list: a button is not an option.
    this.form.state.replaceChildren("Recent searches ", clear);
    return items;
  }

  private key(event: KeyboardEvent): void {
    const { key } = event;
    if (event.isComposing) return;
    if (key === "Escape") {
      // A browser may empty the field in place of closing the dialog.
      event.preventDefault();
      this.box.close();
    } else if ((key === "ArrowDown" || key === "ArrowUp") && event.target === this.form.input) {
      const items = this.items();
      const at = this.active ? items.indexOf(this.active) : -1;
      const next = key === "ArrowDown" ? at + 1 : at - 1;
      this.choose(items[(next + items.length) % Math.max(items.length, 1)]);
      event.preventDefault();
    } else if (key === "Enter" && event.target === this.form.input) {
      event.preventDefault();
      if (this.active) this.open(this.active);
      else if (this.form.text.trim() !== "") {
        remember(this.form.text);
        location.href = this.results();
      }
    }
  }

  private click(event: MouseEvent): void {
    if (event.target === this.box) this.box.close(); // beside the content
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null;
    if (!item || item.matches(".unfold")) return;
    if (item instanceof HTMLAnchorElement) {
      remember(this.form.text);
      // Whoever comes back finds the page, not the dialog.
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.box.close();
    } else this.open(item);
  }

  private open(item: HTMLElement): void {
    if (item.matches("a, .unfold")) {
      item.click();
      return;
    }
    this.form.input.value = item.textContent ?? "";
    this.form.input.focus();
    void this.form.ask();
  }

  private choose(item: HTMLElement | undefined): void {
    this.active?.setAttribute("aria-selected", "false");
    this.active?.removeAttribute("id");
    this.active = item;
    const { input } = this.form;
    input.setAttribute("aria-expanded", String(this.items().length > 0));
    if (!item) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    item.id = "seek.active";
    item.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  }
}

function keyList(): HTMLElement {
  const list = document.createElement("dl");
  list.className = "keys";
  for (const [key, what] of KEYS) {
    const dt = document.createElement("dt");
    dt.append(...key.split(" ").map((k) => Object.assign(document.createElement("kbd"), { textContent: k })));
    const dd = document.createElement("dd");
    dd.append(span("", what));
    list.append(dt, dd);
  }
  return list;
}

function div(kind: string): HTMLElement {
  const box = document.createElement("div");
  box.className = kind;
  return box;
}

function button(text: string, click: () => void): HTMLButtonElement {
  const b = document.createElement("button");
  b.type = "button";
  b.className = "quiet";
  b.textContent = text;
  b.addEventListener("click", click);
  return b;
}
