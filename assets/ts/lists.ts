// Long lists: a field that filters them, and headings that sort them. Both are about what
// the page shows.

/** Prepares the fields and the tables of a page, until the signal. */
export function prepareLists(signal: AbortSignal): void {
  for (const field of document.querySelectorAll<HTMLInputElement>(".sift input")) {
    const list = listAfter(field);
    if (list) field.addEventListener("input", () => sift(field, list), { signal });
  }
  for (const table of document.querySelectorAll<HTMLTableElement>("table.sorts")) prepareTable(table, signal);
  const order = document.querySelector<HTMLSelectElement>(".sift select");
  const cards = order && listAfter(order);
  if (cards) order.addEventListener("change", () => arrange(cards, order.value), { signal });
}

function listAfter(field: HTMLElement): HTMLElement | null {
  let next = field.closest(".sift")?.nextElementSibling ?? null;
  while (next && !next.matches("ul.cards, .scroll")) next = next.nextElementSibling;
  return next instanceof HTMLElement ? next : null;
}

/** Shows the rows that have all words of the field. */
function sift(field: HTMLInputElement, list: HTMLElement): void {
  const words = fold(field.value).split(/\s+/).filter((word) => word !== "");
  const rows = rowsOf(list);
  let shown = 0;
  let group: HTMLElement | null = null;
  for (const row of rows) {
    if (row.classList.contains("group")) {
      group = row;
      group.hidden = words.length > 0;
      continue;
    }
    // A claim without a word on its status is confirmed.
    const status = row.closest(".claims") && !row.querySelector(".badge") ? " confirmed" : "";
    const text = fold((row.textContent ?? "") + status);
    row.hidden = !words.every((word) => text.includes(word));
    if (row.hidden) continue;
    shown++;
    if (group) group.hidden = false;
  }
  const state = field.closest(".sift")?.querySelector("[role=status]");
  if (!state) return;
  state.textContent = words.length === 0 ? "" : shown === 1 ? "1 fits" : `${shown} fit`;
  if (words.length > 0 && document.querySelector(".pager a")) state.append(" on this page. ", elsewhere(field.value));
}

/** A link to the search of the pack, which knows the other pages of a list too. */
function elsewhere(query: string): HTMLElement {
  const link = document.createElement("a");
  const search = document.querySelector<HTMLAnchorElement>("a.find");
  const packs = document.querySelector<HTMLAnchorElement>(".brand")?.href;
  const pack = [...document.querySelectorAll<HTMLAnchorElement>(".crumbs a")].find((crumb) => crumb.href !== packs)?.textContent ?? "";
  const url = new URL(search?.href ?? "", document.baseURI);
  url.searchParams.set("q", query.trim());
  if (pack) url.searchParams.set("pack", pack);
  link.href = url.href;
  link.textContent = "Search the pack";
  return link;
}

function rowsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(list.matches("ul") ? ":scope > li" : "tbody > tr")];
}

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Makes the headings of a table buttons that sort it: up, down, as it was. */
function prepareTable(table: HTMLTableElement, signal: AbortSignal): void {
  const body = table.tBodies[0];
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if (!body || body.rows.length < 3) return;
  const rows = [...body.rows];
  const plain = rows.filter((row) => !row.classList.contains("group"));
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      for (const other of heads) other.removeAttribute("aria-sort");
      if (now === "descending") return body.replaceChildren(...rows);
      const number = head.classList.contains("n");
      const sorted = [...plain].sort((a, b) => compare(cell(a, column), cell(b, column), number));
      if (now === "ascending") sorted.reverse();
      head.setAttribute("aria-sort", now === "ascending" ? "descending" : "ascending");
      body.replaceChildren(...sorted);
    }, { signal });
  });
}

function cell(row: HTMLTableRowElement, column: number): string {
  return row.cells[column]?.textContent?.trim() ?? "";
}

function compare(a: string, b: string, number: boolean): number {
  if (number) return (parseInt(a.replace(/\D/g, ""), 10) || 0) - (parseInt(b.replace(/\D/g, ""), 10) || 0);
  return a.localeCompare(b, undefined, { numeric: true });
}

/** Sorts the cards of the start page: by name, by a figure, or as they were. */
function arrange(list: HTMLElement, by: string): void {
  const cards = [...list.children] as HTMLElement[];
  cards.forEach((card, i) => (card.dataset["place"] ??= String(i)));
  const place = (card: HTMLElement): number => Number(card.dataset["place"]);
  const figure = (card: HTMLElement): number => {
    const at = [...card.querySelectorAll("dt")].find((name) => name.textContent === by);
    return parseInt((at?.nextElementSibling?.textContent ?? "").replace(/\D/g, ""), 10) || 0;
  };
  const name = (card: HTMLElement): string => card.querySelector("h3")?.textContent ?? "";
  cards.sort((a, b) => (by === "name" ? compare(name(a), name(b), false) : by === "" ? 0 : figure(b) - figure(a)) || place(a) - place(b));
  list.replaceChildren(...cards);
}
