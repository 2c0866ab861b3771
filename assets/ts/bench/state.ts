// What the match page is asked, as its address holds it.

import { USUAL, dialectOf } from "../answer";
import type { Dialect, Question } from "../kernel";
import { isWhole, type Entry } from "./index";

/** The fields of an entry that can be edited, and questions for the search. */
export interface Change {
  keywords?: string[];
  patterns?: string[];
  priority?: string;
  triggers?: Entry["triggers"];
  questions?: string[];
}

/** Edits by the path of the entry, see Index.find. */
export type Changes = Map<string, Change>;

export interface State {
  readonly question: Question;
  readonly budget: number;
  readonly changes: Changes;
  /** Whether what resolve prints is open. */
  readonly context: boolean;
}

/** The budget that resolve has by default. */
export const BUDGET = 6000;

const MOST = 100_000; // characters of an address that are looked at
const MANY = 50; // edits in it

/** Reads what is after the # of an address. What cannot be read is as usual. */
export function parse(hash: string, usual: Dialect): State {
  const wanted = new URLSearchParams(hash.slice(1, MOST));
  const dialect = dialectOf(wanted.get("dialect"), usual);
  const number = (name: string, otherwise: number): number => {
    const text = wanted.get(name);
    return text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : otherwise;
  };
  return {
    question: { task: wanted.get("task") ?? "", also: wanted.getAll("also"), dialect, min: number("min", USUAL[dialect]) },
    budget: number("budget", BUDGET),
    context: wanted.get("context") === "open",
    changes: new Map(wanted.getAll("edit").slice(0, MANY).flatMap(readChange)),
  };
}

function readChange(text: string): [string, Change][] {
  try {
    const { path, ...rest } = JSON.parse(text) as Record<string, unknown>;
    if (typeof path !== "string") return [];
    const change: Change = {};
    for (const name of ["keywords", "patterns", "questions"] as const) {
      const list = rest[name];
      if (Array.isArray(list)) change[name] = list.filter((word): word is string => typeof word === "string");
    }
    if (typeof rest["priority"] === "string") change.priority = rest["priority"];
    const triggers = rest["triggers"] as Partial<Entry["triggers"]> | undefined;
    if (triggers && typeof triggers === "object") {
      change.triggers = { task: triggers.task === true, plan: triggers.plan === true, edit: triggers.edit === true };
    }
    return [[path, change]];
  } catch {
    return [];
  }
}

/** The address without what is as usual. */
export function format({ question, budget, changes, context }: State, usual: Dialect): string {
  const kept = new URLSearchParams();
  if (question.task) kept.set("task", question.task);
  for (const wording of question.also) kept.append("also", wording);
  if (question.dialect !== usual) kept.set("dialect", question.dialect);
  if (question.min !== USUAL[question.dialect]) kept.set("min", String(question.min));
  if (budget !== BUDGET) kept.set("budget", String(budget));
  if (context) kept.set("context", "open");
  for (const [path, change] of changes) kept.append("edit", JSON.stringify({ path, ...change }));
  const hash = kept.toString();
  return hash ? `#${hash}` : "";
}

/** An entry with what is changed of it. */
export function changed(entry: Entry, change: Change): Entry {
  return {
    ...entry,
    keywords: change.keywords ?? entry.keywords,
    patterns: change.patterns ? [...change.patterns, ...entry.patterns.filter(isWhole)] : entry.patterns,
    priority: change.priority ?? entry.priority,
    triggers: change.triggers ?? entry.triggers,
  };
}

/** How an entry's page is found by Index.find. */
export function pathOf(path: string): string {
  return path.replace(/^packs\//, "").replace("/compiled/splits/", "/").replace(/\.md$/, "");
}

/** What metadata.loadout calls an entry; that of the pack itself is its name. */
export function idOf(path: string): string {
  const [pack = "", ...rest] = path.split("/");
  const id = rest[0] === "compiled" ? rest.slice(1).join("/") : rest.join("/");
  return id === "KNOWLEDGE" ? pack : id;
}
