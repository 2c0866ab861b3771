// Edits what leads to an entry, scores the evals again, and writes the difference down.
// It is loaded when an entry unfolds.

import type { Detail } from "../answer";
import { flash } from "../copy";
import { button, counted, labelled, make } from "../dom";
import type { Bench } from "../match";
import { Files } from "../search/files";
import { isWhole, type Entry } from "./index";
import { pathOf, type Change, type Changes } from "./state";
import { frontMatter, patch } from "./difference";
import { outcomes, type Outcome } from "./packsuites";
import { verdicts, type Verdict } from "./suite";

/** Fills the room of an entry with what can be done with it. */
export function unfold(bench: Bench, entry: Detail, room: HTMLElement): void {
  const edit = button("quiet edit", "Edit its words", () => {
    edit.remove();
    void form(bench, entry).then((box) => room.append(box));
  });
  if (bench.state().changes.has(pathOf(entry.path))) edit.click();
  else room.append(edit);
  const link = room.querySelector<HTMLAnchorElement>(".path a");
  if (link) void leadToPage(bench, entry, link).catch(() => undefined); // the file is an answer too
}

let sections: Promise<Files> | undefined;

/** Makes the link of a split lead to its section of the page. */
async function leadToPage({ index }: Bench, { at, path }: Detail, link: HTMLAnchorElement): Promise<void> {
  const [, name, text] = /^packs\/([^/]+)\/compiled\/splits\/(.*)\.md$/.exec(path) ?? [];
  if (name === undefined) return;
  sections ??= Files.open(index.base);
  sections.catch(() => (sections = undefined));
  const files = await sections;
  const pack = files.root.packs.findIndex((p) => p.name === name);
  const of = files.root.packs[pack];
  // Splits are the last entries of a pack, in the order of its sections.
  const found = of && (await files.title(pack, index.fromEnd(name, at) + of.sections));
  if (!found || found.section[3] !== text) return;
  const { page, section } = found;
  link.href = new URL(of.dir + page[0] + (section[0] ? `#${section[0]}` : ""), index.base).href;
}

/** The fields of an entry. */
async function form(bench: Bench, { at, path }: Detail): Promise<HTMLElement> {
  const key = pathOf(path);
  const entry = await bench.index.entry(at);
  const change = bench.state().changes.get(key) ?? {};
  const box = make("form", "editor");
  const keywords = lines(change.keywords ?? entry.keywords, "keywords");
  const given = { keywords: entry.keywords, patterns: entry.patterns.filter((word) => !isWhole(word)) };
  const patterns = lines(change.patterns ?? given.patterns, "patterns");
  const questions = lines(change.questions ?? [], "questions");
  const priority = make("select", "");
  priority.name = "priority";
  priority.append(...["core", "domain", "manual"].map((name) => new Option(name, name)));
  priority.value = change.priority ?? entry.priority;
  const phases = make("fieldset", "", make("legend", "", "Triggers"));
  const triggers = change.triggers ?? entry.triggers;
  for (const phase of ["task", "plan", "edit"] as const) {
    const check = make("input", "");
    check.type = "checkbox";
    check.name = phase;
    check.checked = triggers[phase];
    phases.append(make("label", "", check, ` ${phase}`));
  }
  const checked = (name: string): boolean => phases.querySelector<HTMLInputElement>(`input[name=${name}]`)?.checked ?? false;
  const take = (): void => {
    const wanted: Change = {};
    const list = (name: "keywords" | "patterns", field: HTMLTextAreaElement): void => {
      const words = read(field).map((word) => word.toLowerCase());
      if (words.join("\n") !== given[name].join("\n")) wanted[name] = words;
    };
    list("keywords", keywords);
    list("patterns", patterns);
    if (priority.value !== entry.priority) wanted.priority = priority.value;
    const now = { task: checked("task"), plan: checked("plan"), edit: checked("edit") };
    if (now.task !== entry.triggers.task || now.plan !== entry.triggers.plan || now.edit !== entry.triggers.edit) wanted.triggers = now;
    if (read(questions).length > 0) wanted.questions = read(questions);
    bench.change(key, Object.keys(wanted).length > 0 ? wanted : undefined);
  };
  box.addEventListener("input", take);
  box.addEventListener("submit", (event) => event.preventDefault());
  const more = labelled("Questions to add, one a line", questions);
  more.append(make("small", "", "Resolve, the search and, after the next build, this matcher find the section by them."));
  box.append(labelled("Keywords, one a line", keywords), labelled("Patterns, one a line", patterns), more, labelled("Priority", priority), phases);
  box.append(
    button("quiet", "Take it back", () => {
      keywords.value = entry.keywords.join("\n");
      patterns.value = given.patterns.join("\n");
      questions.value = "";
      priority.value = entry.priority;
      for (const phase of ["task", "plan", "edit"] as const) {
        const check = phases.querySelector<HTMLInputElement>(`input[name=${phase}]`);
        if (check) check.checked = entry.triggers[phase];
      }
      take();
    }),
  );
  return box;
}

function lines(list: string[], name: string): HTMLTextAreaElement {
  const field = make("textarea", "");
  field.name = name;
  field.spellcheck = false;
  field.rows = Math.max(2, Math.min(list.length + 1, 9));
  field.value = list.join("\n");
  return field;
}

function read(field: HTMLTextAreaElement): string[] {
  return [...new Set(field.value.split("\n").map((word) => word.trim()).filter((word) => word !== ""))];
}

let shown = 0;

/** What the changes do to the evals, and the changes to be taken along. */
export async function suite(bench: Bench, room: HTMLElement): Promise<void> {
  const n = ++shown;
  const { changes } = bench.state();
  const edits = await bench.edits();
  const [before, after] = [await verdicts(bench, new Map()), await verdicts(bench, edits)];
  if (n !== shown) return;
  const passed = (list: Verdict[]): number => list.filter((verdict) => verdict.misses.length === 0).length;
  const said = make("p", "evals");
  if (after.length === 0) said.append("The packs have no routing evals: what a change breaks elsewhere is not known. See evals/routing.yaml in the manual.");
  else said.append("Evals: ", make("b", "", `${passed(after)} of ${counted(after.length, "task")}`), ` pass; ${passed(before)} did before.`);
  const moved = after.flatMap((now, i) => {
    const then = before[i];
    return then && difference(then, now) ? [row(then, now)] : [];
  });
  if (after.length > 0 && moved.length === 0) said.append(" No task comes out another way.");
  const list = make("ul", "moved", ...moved);
  const others = make("div", "others");
  void outcomes(bench, changes).then(
    (found) => n === shown && others.replaceChildren(...found.map(outcome)),
    (error: unknown) => n === shown && others.replaceChildren(make("p", "fault", error instanceof Error ? error.message : String(error))),
  );
  const matter = button("button quiet matter", "Copy front matter", (b) => void take(b, frontMatter(bench, changes)));
  const diff = button("button quiet patch", "Copy patch", (b) => void take(b, patch(bench, changes)));
  const names = [...changes.keys()].join(", ");
  room.replaceChildren(make("h2", "label", `${counted(changes.size, "changed entry", "changed entries")}`), make("p", "names", names), said, list, others, make("p", "take", matter, diff, undo(bench, changes)));
}

/** A suite of another kind: how many cases pass, and those that come out another way. */
function outcome({ name, before, after, cases }: Outcome): HTMLElement {
  const passed = (list: boolean[]): number => list.filter(Boolean).length;
  const box = make("div", "outcome", make("p", "evals", make("b", "", `${passed(after)} of ${cases.length}`), ` ${name} pass; ${passed(before)} did before.`));
  const moved = cases.flatMap((text, i) => (before[i] === after[i] ? [] : [make("li", "", make("span", `badge ${after[i] ? "passed" : "failed"}`, after[i] ? "better" : "worse"), ` ${text}`)]));
  if (moved.length > 0) box.append(make("ul", "moved", ...moved));
  return box;
}

function undo(bench: Bench, changes: Changes): HTMLElement {
  return button("quiet", "Undo all", () => {
    for (const path of changes.keys()) bench.change(path, undefined);
  });
}

async function take(from: HTMLButtonElement, text: Promise<string>): Promise<void> {
  try {
    await navigator.clipboard.writeText(await text);
    flash(from, "Copied");
  } catch (error) {
    flash(from, error instanceof Error && error.message !== "" ? error.message : "Could not copy");
  }
}

/** Whether a task came out another way. */
function difference(then: Verdict, now: Verdict): boolean {
  return then.misses.join() !== now.misses.join() || then.loads.entries !== now.loads.entries || then.loads.tokens !== now.loads.tokens;
}

function row(then: Verdict, now: Verdict): HTMLElement {
  const kind = now.misses.length < then.misses.length ? "passed" : now.misses.length > then.misses.length ? "failed" : "";
  const word = kind === "passed" ? "better" : kind === "failed" ? "worse" : "other";
  const item = make("li", "", make("span", `badge ${kind}`, word), ` ${now.task.task} `);
  item.append(make("small", "", `${counted(then.loads.entries, "entry", "entries")}, ${counted(then.loads.tokens, "token")} → ${counted(now.loads.entries, "entry", "entries")}, ${counted(now.loads.tokens, "token")}`));
  for (const miss of now.misses) item.append(make("small", "miss", miss));
  return item;
}

export type { Entry };
