// The tree of the pages of a pack. What is in a folder is made when it is opened, and
// loaded when the file of the pack does not have it.

/** A page: its name and file. A folder: its name, its folder and what is in it. */
type Item = [string, string] | [string, string, Items];

/** Items, or the name of the file that has them; the last one may name a file with more. */
type Items = string | (Item | string)[];

/** Milliseconds before a file is asked for again; after the last its place says that it cannot be loaded. */
const RETRIES = [300, 1200];

/** Puts the tree in the place of the folder that the HTML has, with the page in sight. */
export async function showTree(side: HTMLElement): Promise<void> {
  const pack = document.querySelector<HTMLAnchorElement>(".crumbs a");
  if (!pack) return;
  const tree = new Tree(new URL(".", pack.href));
  const roots = (await tree.load("index")) as Item[];
  const around = side.querySelector("ul");
  const list = document.createElement("ul");
  list.className = "tree";
  for (const root of roots) list.append(tree.folder(root as [string, string, Items], [], `${root[1]}.html`));
  const found = await tree.reveal(list);
  if (!found && around) place(around, list);
  side.replaceChildren(list);
  const here = found ?? list.querySelector<HTMLElement>("b");
  if (here && side.scrollHeight > side.clientHeight) {
    side.scrollTop += here.getBoundingClientRect().top - side.getBoundingClientRect().top - side.clientHeight / 3;
  }
}

/** Puts a page that is too far down in its folder to be shown before the others of the folder. */
function place(around: HTMLElement, list: HTMLElement): void {
  const line = around.querySelector("li:has(> b)");
  const folder = [...list.querySelectorAll(".dir > ul:not([hidden])")].at(-1);
  if (line && folder) folder.prepend(line);
  else list.append(...around.children);
}

class Tree {
  /** This page below it, without its ending: some servers leave that out. */
  private readonly page: string;
  private readonly openers = new Map<Element, () => Promise<void>>();

  /** Base is the folder of the pack. */
  constructor(private readonly base: URL) {
    this.page = stem(decodeURIComponent(location.pathname.slice(this.base.pathname.length)));
  }

  /** A file of the tree. */
  async load(name: string): Promise<Items> {
    for (const pause of [...RETRIES, 0]) {
      try {
        const answer = await fetch(new URL(`tree/${name}.json`, this.base));
        if (!answer.ok) throw new Error(`${answer.status}`);
        return (await answer.json()) as Items;
      } catch (error) {
        if (pause === 0) throw error;
        await new Promise((done) => setTimeout(done, pause));
      }
    }
    return [];
  }

  /** A folder with the button that opens it. */
  folder([name, dir, inside]: [string, string, Items], above: string[], file?: string): HTMLLIElement {
    const path = [...above, dir];
    const row = document.createElement("li");
    row.className = "dir";
    row.dataset["path"] = path.join("/");
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `What is in ${name}`);
    button.setAttribute("aria-expanded", "false");
    const list = document.createElement("ul");
    list.hidden = true;
    let filled = false;
    const open = async (): Promise<void> => {
      if (!filled) {
        filled = true;
        await this.fill(list, inside, path);
      }
      list.hidden = false;
      button.setAttribute("aria-expanded", "true");
    };
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-expanded") === "false") void open();
      else {
        list.hidden = true;
        button.setAttribute("aria-expanded", "false");
      }
    });
    row.append(button, this.name(name, file ? [file] : [...path, "index.html"]), list);
    this.openers.set(row, open);
    return row;
  }

  /** Opens the folders down to this page, and returns its line; null when it is not shown. */
  async reveal(list: HTMLElement): Promise<HTMLElement | null> {
    for (;;) {
      const here = list.querySelector<HTMLElement>("b");
      const rows = [...list.querySelectorAll<HTMLElement>(":scope > li.dir")];
      const way = rows.find((row) => this.page === row.dataset["path"] || this.page.startsWith(`${row.dataset["path"]}/`));
      if (!way) return here;
      await this.openers.get(way)?.();
      list = way.querySelector("ul") as HTMLElement;
      if (here) return here;
    }
  }

  /** Puts items at the end of a list, and returns the line of the first. */
  private async fill(list: HTMLElement, inside: Items, path: string[]): Promise<HTMLElement | undefined> {
    let items: Items;
    try {
      items = typeof inside === "string" ? await this.load(inside) : inside;
    } catch {
      const lost = document.createElement("li");
      lost.append(text("span", "This part could not be loaded."), " ", this.more("Try again", lost, () => this.fill(list, inside, path)));
      list.append(lost);
      return lost;
    }
    if (typeof items === "string") return undefined;
    const rows = items.map((item) => this.row(item, list, path));
    // A page that was put before the others now has its place, see place.
    if (rows.some(isHere)) [...list.children].find(isHere)?.remove();
    list.append(...rows);
    return rows[0];
  }

  private row(item: Item | string, list: HTMLElement, path: string[]): HTMLLIElement {
    if (typeof item !== "string" && item.length === 3) return this.folder(item, path);
    const row = document.createElement("li");
    if (typeof item !== "string") {
      row.append(this.name(item[0], [...path, item[1]]));
      return row;
    }
    row.append(this.more("More…", row, () => this.fill(list, item, path)));
    return row;
  }

  /** A button that puts more in the place of its line, and the focus on the first of it. */
  private more(words: string, row: HTMLElement, fill: () => Promise<HTMLElement | undefined>): HTMLElement {
    const more = text("button", words) as HTMLButtonElement;
    more.type = "button";
    more.className = "more";
    more.addEventListener("click", () => {
      more.disabled = true;
      void fill().then((first) => {
        row.remove();
        first?.querySelector<HTMLElement>("a, button")?.focus();
      });
    });
    return more;
  }

  /** A link to a page, or its name when it is this one. */
  private name(name: string, path: string[]): HTMLElement {
    if (stem(path.join("/")) === this.page) {
      const here = text("b", name);
      here.setAttribute("aria-current", "page");
      return here;
    }
    const link = text("a", name) as HTMLAnchorElement;
    link.href = new URL(path.map(encodeURIComponent).join("/"), this.base).href;
    return link;
  }
}

/** Reports whether a line is that of this page. */
function isHere(row: Element): boolean {
  return row.querySelector(":scope > b") !== null;
}

/** A path without what a server may leave out. */
function stem(path: string): string {
  return path.replace(/(^|\/)index(\.html)?$|\.html$|\/$/, "");
}

function text(tag: string, words: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = words;
  return element;
}
