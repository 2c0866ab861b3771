// How an answer of the matcher looks. Text from packs goes in as text, never as
// markup.

import type { Answer, Detail } from "./matcher";

/** Fills the state line and the list of entries. */
export function showAnswer(answer: Answer, state: HTMLElement, result: HTMLElement): void {
  const loaded = answer.entries.filter((entry) => entry.included);
  const missed = answer.entries.filter((entry) => !entry.included);
  const { entries, tokens } = answer.loads;
  state.replaceChildren(
    bold(count(entries)),
    entries === 1 ? " entry would load, " : " entries would load, ",
    bold(count(tokens)),
    " tokens. The matcher saw: ",
    answer.tokens.length > 0 ? answer.tokens.join(", ") : "no word it can use",
    ".",
  );
  const parts: HTMLElement[] = [];
  if (loaded.length > 0) parts.push(list(loaded, answer, "hits"));
  parts.push(...more(entries - loaded.length, "that would load"));
  if (missed.length > 0) parts.push(label("Near misses"), list(missed, answer, "hits near"));
  parts.push(...more(answer.total - entries - missed.length, "that would not"));
  result.replaceChildren(...parts);
}

/** Says how many entries are left out. */
function more(n: number, which: string): HTMLElement[] {
  if (n === 0) return [];
  return [text("p", "more", n === 1 ? `1 more entry ${which} is not shown.` : `${count(n)} more entries ${which} are not shown.`)];
}

function list(entries: Detail[], answer: Answer, kind: string): HTMLElement {
  const box = document.createElement("ol");
  box.className = kind;
  box.append(...entries.map((entry) => row(entry, answer)));
  return box;
}

function row(entry: Detail, answer: Answer): HTMLElement {
  const item = document.createElement("li");
  item.className = "hit";
  const line = text("div", "line", "");
  const id = document.createElement("a");
  id.className = "id";
  id.href = encodeURI(entry.path);
  id.textContent = entry.id;
  const score = text("span", "score", short(entry.score));
  score.title = String(entry.score);
  line.append(score, id, text("span", "badge", entry.mode));
  line.append(text("span", "cost", entry.tokens === null ? "tokens unknown" : `${count(entry.tokens)} tokens`));
  item.append(line, text("p", "", entry.summary), text("p", "sum", arithmetic(entry, answer)));
  const words = text("div", "words", "");
  for (const word of entry.matchedKeywords) words.append(text("span", "word on", word));
  for (const word of entry.matchedPatterns) words.append(text("span", "word on pattern", word));
  for (const word of entry.missedKeywords) words.append(text("span", "word", word));
  if (words.childElementCount > 0) item.append(words);
  item.append(preview(entry));
  return item;
}

/** The sum as a reader would do it on paper, in full precision. */
export function arithmetic(entry: Detail, answer: Answer): string {
  if (entry.priority === "core") return "core: always loaded, score 1";
  if (entry.priority === "manual") return "manual: never loads by itself, score 0";
  const coverage = entry.words ? weighed(entry.words, entry.worth ?? [], entry.inSummary ?? 0) : `${entry.hits} ÷ ${entry.keywords}`;
  const base = answer.dialect === "recall" ? `max(${coverage}, ${entry.hits} ÷ 5)` : coverage;
  const bonus = entry.patternBonus > 0 ? ` + ${entry.patternBonus}` : "";
  const capped = entry.base + entry.patternBonus > 1 ? ", at most 1" : "";
  const verdict = entry.included ? `not below ${answer.minScore}, so it loads` : `below ${answer.minScore}, so it does not load`;
  return `${base}${bonus} = ${entry.score}${capped}; ${verdict}`;
}

/** The sum of what the words are worth, by what two rare words are worth. */
function weighed(words: string[], worth: number[], inSummary: number): string {
  const sum = words.map((word, i) => `${worth[i]} ${word}${i >= words.length - inSummary ? " in the summary" : ""}`);
  return `(${sum.join(" + ")}) ÷ 2`;
}

/** The entry's text, fetched when it is asked for. */
function preview(entry: Detail): HTMLElement {
  const box = document.createElement("details");
  box.append(text("summary", "", "What it loads"));
  box.addEventListener(
    "toggle",
    () => {
      const body = document.createElement("pre");
      body.tabIndex = 0; // it scrolls
      body.textContent = "…";
      box.append(body);
      fetch(encodeURI(entry.path))
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

function short(score: number): string {
  return score.toFixed(2);
}

function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

function label(words: string): HTMLElement {
  return text("h2", "label", words);
}

function bold(words: string): HTMLElement {
  return text("b", "", words);
}

function text(tag: string, kind: string, words: string): HTMLElement {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.textContent = words;
  return element;
}
