// Role pages. The picker works without this script; it saves the reader a click, shows the
// boot of the choice as text, and says what it costs and what a larger budget adds.

import { count, make } from "./dom";

const MOST = 8; // additions shown

/** Choosing a usecase means "only these". */
function start(): void {
  const form = document.querySelector<HTMLFormElement>("form.pick");
  const some = form?.querySelector<HTMLInputElement>("input[value=some]");
  const price = form?.querySelector("output");
  if (!form || !some || !price) return;
  const text = make("details", "boottext", make("summary", "", "The boot as text"));
  const more = make("div", "larger");
  more.setAttribute("aria-live", "polite");
  form.append(more, text);
  const prices = pricesOf();
  const show = (): void => {
    const choice = chosen(form, some);
    const said = prices.get(choice);
    price.textContent = said ? `${said.said} tokens said, ${count(said.printed)} printed` : "";
    more.replaceChildren(...larger(form, choice, prices));
    if (text.open) void fill(text, form, choice);
  };
  form.addEventListener("change", (event) => {
    const box = event.target as HTMLInputElement;
    if (box.type === "checkbox") some.checked = true;
    show();
  });
  text.addEventListener("toggle", () => text.open && void fill(text, form, chosen(form, some)));
  show();
}

/** The choice as the tables of costs have it: the numbers of the usecases, or "all". */
function chosen(form: HTMLFormElement, some: HTMLInputElement): string {
  if (!some.checked) return "all";
  return subjects(form).filter(({ box }) => box.checked).map(({ box }) => box.value).join(" ");
}

function subjects(form: HTMLFormElement): { box: HTMLInputElement; name: string }[] {
  return [...form.querySelectorAll<HTMLInputElement>(".sub input")].map((box) => ({ box, name: box.nextSibling?.textContent?.trim() ?? "" }));
}

interface Price {
  readonly said: string;
  readonly printed: number; // tokens
}

/** What choices cost, from the tables of the page. */
function pricesOf(): Map<string, Price> {
  const prices = new Map<string, Price>();
  for (const row of document.querySelectorAll<HTMLTableRowElement>("table.costs tr[data-choice]")) {
    const text = row.cells[3]?.textContent ?? "";
    prices.set(row.dataset["choice"] ?? "", { said: row.cells[1]?.textContent ?? "", printed: Number(text.replace(/\D/g, "")) });
  }
  return prices;
}

/** What one usecase more adds, the cheapest first. */
function larger(form: HTMLFormElement, choice: string, prices: Map<string, Price>): HTMLElement[] {
  const now = prices.get(choice);
  if (choice === "all" || !now) return [];
  const taken = choice.split(" ");
  const list = subjects(form).flatMap(({ box, name }) => {
    if (taken.includes(box.value)) return [];
    const with_ = prices.get([...taken, box.value].sort((a, b) => Number(a) - Number(b)).join(" "));
    return with_ ? [{ name, printed: with_.printed }] : [];
  });
  if (list.length === 0) return [];
  list.sort((a, b) => a.printed - b.printed);
  const rows = list.slice(0, MOST).map(({ name, printed }) => make("li", "", make("b", "", count(printed)), " tokens: ", make("code", "", name), ` too, ${count(printed - now.printed)} more`));
  return [make("p", "", "What a larger budget adds:"), make("ul", "", ...rows)];
}

/** Puts the text of a choice where it is read: a file of the site, for all and for each alone. */
async function fill(box: HTMLDetailsElement, form: HTMLFormElement, choice: string): Promise<void> {
  const summary = box.firstElementChild as HTMLElement;
  const names = subjects(form).filter((subject) => subject.box.checked).map(({ name }) => name);
  const boot = document.querySelector(".meta code")?.textContent ?? "packgen boot";
  const command = make("code", "", choice === "all" ? boot : `${boot} --usecase ${names.join(",")}`);
  if (choice === "") {
    box.replaceChildren(summary, make("p", "more", "Choose a usecase."));
    return;
  }
  if (choice.includes(" ")) {
    box.replaceChildren(summary, make("p", "more", "The site has the texts of every subject and of each usecase alone. For several, run ", command));
    return;
  }
  try {
    const answer = await fetch(choice === "all" ? "boot.txt" : `boot-${Number(choice) + 1}.txt`);
    if (!answer.ok) throw new Error(String(answer.status));
    const text = make("pre", "", await answer.text());
    text.tabIndex = 0; // it scrolls
    box.replaceChildren(summary, make("p", "more", "What ", command, " prints:"), text);
  } catch {
    box.replaceChildren(summary, make("p", "more", "The text is not on the site. Run ", command));
  }
}

addEventListener("DOMContentLoaded", start);
