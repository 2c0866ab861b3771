// Counts the words of a Markdown text, and cuts it at its headings, as the program does.

import type { Rules } from "../search/root";
import type { Words } from "../search/words";

const STATUSES = "confirmed|inferred|disputed|stale|missing|source-required";
const MARK = new RegExp(`^\\[\\s*(?:source:[^[\\]]*|status:\\s*(?:${STATUSES})\\s*)\\](?!\\()`, "i");

/** The code fence that is open after a line; "" outside. */
function nextFence(open: string, line: string): string {
  const found = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line);
  if (!found) return open;
  const [, marks = "", rest = ""] = found;
  if (open === "") return marks[0] === "`" && rest.includes("`") ? open : marks;
  return marks[0] === open[0] && marks.length >= open.length && rest.trim() === "" ? "" : open;
}

/** A text without its source anchors and status markers, except for those in code. */
export function prose(text: string): string {
  if (!/\[\s*s/i.test(text)) return text;
  let out = "";
  let ticks = 0;
  let fence = "";
  for (let i = 0; i < text.length; ) {
    if (i === 0 || text[i - 1] === "\n") {
      const line = lineAt(text, i);
      fence = nextFence(fence, line);
      if (fence !== "") {
        out += text.slice(i, i + line.length + 1);
        i += line.length + 1;
        continue;
      }
      if (line.trim() === "") ticks = 0;
    }
    const c = text[i] ?? "";
    let n = 1;
    if (c === "\\") n = 2;
    else if (c === "`") {
      n = (/^`+/.exec(text.slice(i)) ?? [c])[0].length;
      if (ticks === n) ticks = 0;
      else if (ticks === 0 && text.includes(c.repeat(n), i + n)) ticks = n;
    } else if (c === "[" && ticks === 0) {
      const mark = MARK.exec(text.slice(i, i + 8192));
      if (mark) {
        out += " ";
        i += mark[0].length;
        continue;
      }
    }
    out += text.slice(i, i + n);
    i += n;
  }
  return out;
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? text.length : end);
}

/** How often the fields of a section hold each stem, and how many words they have. */
export interface Counted {
  readonly counts: Map<string, number[]>;
  readonly lengths: number[];
}

const [TITLE, HEADINGS, BODY] = [0, 1, 2];

/** Counts a section that has a title and a text. */
export function count(title: string, text: string, rules: Rules, words: Words): Counted {
  const counts = new Map<string, number[]>();
  const lengths = rules.weights.map(() => 0);
  const read = (field: number, part: string): void => {
    lengths[field] = (lengths[field] ?? 0) + runsIn(part);
    for (const { word } of words.all(part, true)) add(field, words.stem(word));
  };
  const add = (field: number, stem: string): void => {
    const list = counts.get(stem) ?? rules.weights.map(() => 0);
    list[field] = (list[field] ?? 0) + 1;
    counts.set(stem, list);
  };
  const common = (field: number, heading: string): void => {
    const whole = words.common(heading);
    if (whole !== "") add(field, whole);
  };
  const readHeading = (field: number, heading: string): void => {
    read(field, heading);
    common(field, heading);
  };
  readHeading(TITLE, title);
  let rest = prose(belowTitle(title, text, words));
  const [first, below] = cutHeading(rest);
  if (first !== "" && names(first, title, words)) {
    rest = below;
    if (words.common(title) === "") common(TITLE, first);
    const id = /\{#([^ }]*)[^}]*\}/.exec(first)?.[1] ?? "";
    if (!names(id, title, words)) read(HEADINGS, id);
  }
  let fence = "";
  let body = "";
  let before = ""; // the line before, where it is body
  for (const line of rest.split("\n")) {
    fence = nextFence(fence, line);
    const level = fence === "" && !isHeading(line) ? underlined(before, line) : 0;
    if (fence !== "" || (!isHeading(line) && level === 0)) {
      body += `${line}\n`;
      before = line;
      continue;
    }
    if (level > 0) body = body.slice(0, body.length - before.length - 1);
    read(BODY, body);
    body = "";
    readHeading(HEADINGS, level > 0 ? before : line);
    before = "";
  }
  read(BODY, body);
  return { counts, lengths };
}

function isHeading(line: string): boolean {
  return /^#{1,6} /.test(line);
}

/** The level of the heading that a line is because of the line below it; 0 for any other line. */
function underlined(line: string, below: string): number {
  const marks = /^ {0,3}(=+|-+)[ \t\r]*$/.exec(below)?.[1];
  if (marks === undefined || line.trim() === "" || nextFence("", line) !== "" || /^(?: {4}|[#>|\-*+=\t])/.test(line)) return 0;
  return marks.startsWith("=") ? 1 : 2;
}

/** The heading that a text begins with, and the rest of it; "" for a text that begins with none. */
function cutHeading(text: string): [line: string, rest: string] {
  const [first = "", second = "", ...more] = text.split("\n");
  if (isHeading(first)) return [first, [second, ...more].join("\n").replace(/^\n+/, "")];
  const level = underlined(first, second);
  return level > 0 ? [`${"#".repeat(level)} ${first}`, more.join("\n").replace(/^\n+/, "")] : ["", text];
}

/** Reports whether a heading is what a title says, or one of the headings that it names. */
function names(line: string, title: string, words: Words): boolean {
  const whole = words.common(line);
  if (whole !== "") return title.split(": ").some((part) => words.common(part) === whole);
  const set = (text: string): Set<string> => new Set(words.all(text, true).map(({ word }) => word));
  const [inLine, said] = [set(line), set(title)];
  return [...inLine].every((word) => said.has(word)) || (said.size > 0 && [...said].every((word) => inLine.has(word)));
}

/** How many words a text is said to have: runs of letters and digits, and of all that is not ASCII. */
export function runsIn(text: string): number {
  return text.match(/[A-Za-z0-9\u0080-\u{10ffff}]+/gu)?.length ?? 0;
}

/** The text of a section without the title of the document that it begins with. */
function belowTitle(title: string, text: string, words: Words): string {
  const [line, rest] = cutHeading(text);
  if (!line.startsWith("# ") || names(line, title, words)) return text;
  return cutHeading(rest)[0] === "" ? text : rest;
}

export interface Leaf {
  readonly title: string;
  readonly text: string;
}

/** Reports a text of tags and blanks. */
function saysNothing(text: string): boolean {
  return text.replace(/<[^>]*>/g, "").trim() === "";
}

/** Cuts a text at its headings. One with nothing of its own below it, or only tags, stays with the next. */
export function leavesOf(text: string): Leaf[] {
  const starts = [0];
  let fence = "";
  let bare = 0; // where the run of headings without text begins
  let headings = 0;
  for (let i = 0; i < text.length; ) {
    const line = lineAt(text, i);
    const end = Math.min(i + line.length + 1, text.length);
    const before = fence;
    fence = nextFence(fence, line);
    if (before === "" && fence === "" && /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) {
      if (headings === 0 || !saysNothing(text.slice(bare, i))) starts.push(i);
      bare = end;
      headings++;
    }
    i = end;
  }
  const cuts = [...new Set(starts), text.length];
  return cuts.slice(0, -1).map((from, i) => {
    const part = text.slice(from, cuts[i + 1]);
    return { title: lineAt(part, 0).replace(/^[# ]+/, ""), text: part };
  });
}
