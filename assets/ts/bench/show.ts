// How an answer of the matcher looks: one line a hit, which unfolds into the arithmetic.

import type { Answer, Detail } from "../answer";
import { count, counted, make } from "../dom";

/** What a list needs to know besides the answer. */
export interface View {
  readonly base: URL;
  readonly budget: number; // tokens
  readonly edited: (at: number) => boolean;
  /** Fills the room for what can be done with an entry, once it unfolds. */
  readonly unfold: (entry: Detail, room: HTMLElement) => void;
  /** Asks for more entries that load. */
  readonly more: () => void;
}

/** Fills the state line and the list of entries. */
export function showAnswer(answer: Answer, state: HTMLElement, result: HTMLElement, view: View): void {
  const loaded = answer.entries.filter((entry) => entry.included);
  const missed = answer.entries.filter((entry) => !entry.included);
  const { entries, tokens } = answer.loads;
  state.replaceChildren(
    make("b", "", count(entries)),
    entries === 1 ? " entry would load, " : " entries would load, ",
    make("b", "", count(tokens)),
    " tokens. The matcher saw: ",
    answer.tokens.length > 0 ? answer.tokens.join(", ") : "no word it can use",
    ".",
  );
  const open = new Set([...result.querySelectorAll<HTMLDetailsElement>("details.hit[open]")].map((row) => row.dataset["at"]));
  const parts: HTMLElement[] = [];
  if (loaded.length > 0) parts.push(list(loaded, answer, "hits", view, open));
  const rest = entries - loaded.length;
  if (rest > 0) {
    const more = make("button", "quiet", "Show more");
    more.type = "button";
    more.addEventListener("click", view.more);
    parts.push(make("p", "more", rest === 1 ? "1 more entry that would load is not shown. " : `${count(rest)} more entries that would load are not shown. `, more));
  }
  parts.push(make("h2", "label", "Near misses"));
  if (missed.length > 0) parts.push(list(missed, answer, "hits near", view, open));
  const others = answer.total - entries - missed.length;
  if (others > 0) parts.push(make("p", "more", `${counted(others, "more entry that would not load is", "more entries that would not load are")} not shown.`));
  result.replaceChildren(...parts);
}

/** Adds entries that hold other forms of the words of a task, or hold them in the summary alone. */
export function showOthers(answer: Answer, result: HTMLElement, view: View): void {
  const text = "No keyword of these hits. The weighted dialect, to which forms of a word are one and which looks at summaries, puts them next:";
  if (answer.entries.length > 0) result.append(make("p", "more", text), list(answer.entries, answer, "hits near forms", view, new Set()));
  else if (!result.querySelector(".near")) result.append(make("p", "more", "No other entry has a form of a word of the task."));
}

function list(entries: Detail[], answer: Answer, kind: string, view: View, open: Set<string | undefined>): HTMLElement {
  const box = make("ol", kind);
  let used = 0;
  let full = false;
  for (const entry of entries) {
    used += entry.tokens ?? 0;
    const over = entry.included && used > view.budget;
    if (over && !full) box.append(make("li", "over", `Beyond the budget of ${count(view.budget)} tokens`));
    full ||= over;
    box.append(make("li", "", row(entry, answer, view, over, open.has(String(entry.at)))));
  }
  return box;
}

function row(entry: Detail, answer: Answer, view: View, over: boolean, open: boolean): HTMLElement {
  const score = make("span", "score", entry.score.toFixed(2));
  score.title = String(entry.score);
  const box = make("details", over ? "hit beyond" : "hit");
  const line = make("summary", "line", score, make("span", "id", entry.id), make("span", "badge", entry.mode));
  if (view.edited(entry.at)) box.classList.add("edited");
  line.append(make("span", "cost", entry.tokens === null ? "tokens unknown" : `${count(entry.tokens)} tokens`));
  box.dataset["at"] = String(entry.at);
  const words = make("div", "words");
  for (const word of entry.matchedKeywords) words.append(make("span", "word on", word));
  for (const word of entry.matchedPatterns) words.append(make("span", "word on pattern", word));
  for (const word of entry.missedKeywords) words.append(make("span", "word", word));
  box.append(line, make("p", "about", entry.summary), make("p", "sum", arithmetic(entry, answer)));
  if (words.childElementCount > 0) box.append(words);
  const room = make("div", "do");
  box.append(room);
  const fill = (): void => {
    if (box.open && room.childElementCount === 0) {
      room.append(link(entry, view), preview(entry, view));
      view.unfold(entry, room);
    }
  };
  box.addEventListener("toggle", fill);
  box.open = open;
  return box;
}

function link(entry: Detail, view: View): HTMLElement {
  const a = make("a", "", entry.path);
  // A pack and a view have a page of their own; of a split it is found once the line unfolds.
  const page = entry.path.replace(/\/KNOWLEDGE\.md$/, "/index.html").replace(/^(packs\/[^/]+\/compiled\/[^/]+)\.md$/, "$1.html");
  a.href = new URL(encodeURI(page), view.base).href;
  return make("p", "path", a);
}

/** The sum as a reader would do it on paper, in full precision. */
export function arithmetic(entry: Detail, answer: Answer): string {
  if (entry.priority === "core") return "core: always loaded, score 1";
  if (entry.priority === "manual") return "manual: never loads by itself, score 0";
  const coverage = entry.words ? weighed(entry.words, entry.worth ?? [], entry.inSummary ?? 0) : `${entry.hits} ÷ ${entry.keywords}`;
  const base = answer.dialect === "recall" ? `max(${coverage}, ${entry.hits} ÷ 5)` : coverage;
  const bonus = entry.patternBonus > 0 ? ` + ${entry.patternBonus}` : "";
  const capped = entry.base + entry.patternBonus > 1 ? ", at most 1" : "";
  if (entry.elsewhere) return `${base}${bonus} = ${entry.score}${capped}, in the weighted dialect`;
  const verdict = entry.included ? `not below ${answer.minScore}, so it loads` : `below ${answer.minScore}, so it does not load`;
  return `${base}${bonus} = ${entry.score}${capped}; ${verdict}`;
}

/** The sum of what the words are worth, by what two rare words are worth. */
function weighed(words: string[], worth: number[], inSummary: number): string {
  const sum = words.map((word, i) => `${worth[i]} ${word}${i >= words.length - inSummary ? " in the summary" : ""}`);
  return `(${sum.join(" + ")}) ÷ 2`;
}

/** The entry's text, fetched when it is asked for. */
function preview(entry: Detail, view: View): HTMLElement {
  const box = make("details", "text", make("summary", "", "What it loads"));
  box.addEventListener(
    "toggle",
    () => {
      const body = make("pre", "", "…");
      body.tabIndex = 0; // it scrolls
      box.append(body);
      fetch(new URL(encodeURI(entry.path), view.base))
        .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(`${answer.status}`))))
        .then(
          (content) => (body.textContent = content),
          () => (body.textContent = "This text is not on the site."),
        );
    },
    { once: true },
  );
  return box;
}
