// A card beside a link: the beginning of the section that it leads to, or what a source
// chip rests on. What it says is text; nothing of the other page is taken as markup.

const MOST = 420; // characters of a preview
const AWAY = 250; // milliseconds after which a card that the pointer has left goes

const pages = new Map<string, Promise<Document>>();
let card: HTMLElement | undefined;
let owner: HTMLElement | undefined;
let timer = 0;

/** Takes the card away. */
export function hide(): void {
  card?.remove();
  owner?.removeAttribute("aria-describedby");
  card = owner = undefined;
}

/** Shows the card of a link or a chip; calls otherwise where there is nothing to show. */
export function show(target: HTMLElement, otherwise?: () => void): void {
  if (owner === target) return;
  hide();
  owner = target;
  void content(target).then((parts) => {
    if (owner !== target) return;
    if (parts.length === 0) return otherwise?.();
    card = element("aside", "peek", "");
    card.id = "s.peek";
    card.append(...parts);
    document.body.append(card);
    target.setAttribute("aria-describedby", card.id);
    place(card, target);
    const leave = (): void => {
      timer = setTimeout(hide, AWAY);
    };
    for (const part of [card, target]) {
      part.addEventListener("pointerleave", leave);
      part.addEventListener("pointerenter", () => clearTimeout(timer));
    }
  }).catch(() => {
    if (owner === target) owner = undefined;
    otherwise?.();
  });
}

/** Puts the card below its link, or above it where there is no room. */
function place(box: HTMLElement, target: HTMLElement): void {
  const at = target.getClientRects()[0] ?? target.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8));
  const below = at.bottom + 6 + box.offsetHeight < innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - box.offsetHeight - 6)}px`;
}

async function content(target: HTMLElement): Promise<HTMLElement[]> {
  if (target.matches(".src")) {
    const found = await evidence(target);
    if (found.length > 0) return found;
  }
  if (!(target instanceof HTMLAnchorElement) || target.origin !== location.origin || !/(\.html|\/)$/.test(target.pathname)) return [];
  return section(await page(target.href), target.hash);
}

/** A page of the site, fetched once. */
function page(address: string): Promise<Document> {
  const url = new URL(address);
  url.hash = "";
  let got = pages.get(url.href);
  if (!got) {
    got = fetch(url).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.status}`);
      return new DOMParser().parseFromString(await answer.text(), "text/html");
    });
    pages.set(url.href, got);
    got.catch(() => pages.delete(url.href));
  }
  return got;
}

/** The title of a page, the heading of the section, and how it begins. */
function section(other: Document, hash: string): HTMLElement[] {
  const title = other.querySelector("main h1")?.textContent?.trim() ?? other.title;
  const start = hash.length > 1 ? other.getElementById(decodeURIComponent(hash.slice(1))) : null;
  const parts = [element("strong", "", title)];
  const heading = start && start.tagName !== "H1" ? (start.textContent ?? "").trim() : "";
  if (heading !== "" && heading.length < 200) parts.push(element("b", "", heading));
  let text = "";
  let next: Element | null = start && start.tagName !== "H1" ? start.nextElementSibling : (other.querySelector("main article > :first-child"));
  for (; next && text.length < MOST && !(text !== "" && /^H[1-6]$/.test(next.tagName)); next = next.nextElementSibling) {
    if (next.matches("p:not(.cut), ul, ol, blockquote, dl, table, .scroll")) text += `${next.textContent?.replace(/\s+/g, " ").trim() ?? ""} `;
  }
  if (text !== "") parts.push(element("p", "", cut(text)));
  return parts;
}

/** What a chip rests on: the claims of this page that cite it, from the claims page. */
async function evidence(chip: HTMLElement): Promise<HTMLElement[]> {
  const link = document.querySelector<HTMLAnchorElement>(".meta a[href*='claims']");
  if (!link) return [];
  const list = await page(link.href);
  let row = list.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest("tr") ?? null;
  const name = (chip.textContent ?? "").trim();
  const isHere = (place: HTMLAnchorElement | null): boolean => place !== null && new URL(place.getAttribute("href") ?? "", link.href).pathname === location.pathname;
  for (; row; row = row.nextElementSibling as HTMLTableRowElement | null) {
    if (row.classList.contains("group")) {
      if (isHere(row.querySelector("a"))) continue; // another section of this page
      break;
    }
    const cell = row.cells[1];
    if (cell?.querySelector(".cites")?.textContent?.trim() !== name) continue;
    return claim(row, cell, link.href);
  }
  return [];
}

function claim(row: HTMLTableRowElement, cell: HTMLTableCellElement, address: string): HTMLElement[] {
  const status = row.cells[0]?.querySelector(".badge")?.textContent ?? "confirmed";
  const text = (row.cells[0]?.firstChild?.textContent ?? "").replace(/\s+/g, " ").trim();
  const since = row.cells[0]?.querySelector(".since")?.textContent ?? "";
  const parts = [element("span", `badge ${status.replace(/ /g, "-")}`, `${status} ${since}`.trim()), element("p", "", cut(text))];
  for (const against of row.cells[0]?.querySelectorAll(".against") ?? []) parts.push(element("p", "against", cut(against.textContent ?? "")));
  const lines = cell.querySelector("pre")?.textContent;
  if (lines) parts.push(element("pre", "", lines));
  const hash = cell.querySelector<HTMLElement>(".span");
  if (hash) parts.push(element("code", "", hash.title));
  const to = cell.querySelector<HTMLAnchorElement>("a.cites");
  const more = element("a", "", to ? "Open the source" : "All claims of this page") as HTMLAnchorElement;
  more.href = to ? new URL(to.getAttribute("href") ?? "", address).href : address;
  parts.push(more);
  return parts;
}

function cut(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST).trimEnd()} …` : text.trim();
}

function element(tag: string, kind: string, words: string): HTMLElement {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.textContent = words;
  return made;
}
