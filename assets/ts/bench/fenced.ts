// The context beside the matches: what `packgen resolve` prints for the task. It is loaded
// when it is open.

import { button, count, counted, make } from "../dom";
import { flash } from "../copy";
import type { Question } from "../kernel";
import { catalogOf } from "../resolve/catalog";
import { Resolver, type Resolution } from "../resolve/resolve";
import { Files } from "../search/files";

const LONG = 4000; // characters of a task

let resolver: Promise<Resolver> | undefined;
let shown = 0;

/** Fills the room with the context for a task. */
export async function show(base: URL, { task, also }: Question, budget: number, room: HTMLElement): Promise<void> {
  const n = ++shown;
  task = task.trim();
  if (task === "") {
    room.replaceChildren(make("p", "more", "Type a task."));
    return;
  }
  resolver ??= Promise.all([Files.open(base), catalogOf(base)]).then(([files, cards]) => new Resolver(files, cards));
  resolver.catch(() => (resolver = undefined));
  const asked = [task.slice(0, LONG), ...also];
  const answer = await (await resolver).resolve(asked, budget);
  if (n !== shown) return;
  const command = ["packgen resolve", quoted(task), ...also.map((wording) => `--also ${quoted(wording)}`), `--budget ${budget}`].join(" ");
  const parts: HTMLElement[] = [make("p", "about", ...summary(answer, budget), " ", copyButton("Copy", answer.context), " ", copyButton("Copy command", command))];
  for (const remark of remarks(answer, task)) parts.push(make("p", "more", remark));
  if (answer.context !== "") {
    const text = make("pre", "", answer.context);
    text.tabIndex = 0; // it scrolls
    parts.push(text);
  }
  room.replaceChildren(...parts);
}

function summary(answer: Resolution, budget: number): (string | HTMLElement)[] {
  const files = answer.packs.reduce((sum, pack) => sum + pack.taken.length, 0);
  return [make("b", "", counted(files, "file")), ` in ${count(answer.tokens)} of ${count(budget)} tokens, `, make("b", "", answer.sure ? "sure" : "uncertain"), "."];
}

function remarks(answer: Resolution, task: string): string[] {
  const list: string[] = [];
  const names = answer.packs.map(({ card }) => card.name).join(", ");
  if (answer.blocked) list.push("The packs that fit are draft, disputed or archived: the command refuses them unless a flag allows them.");
  else if (answer.packs.length === 0) list.push("No pack has a match.");
  else if (answer.context === "") list.push(`Nothing of ${names} fits the budget.`);
  if (answer.partial) list.push("Not all sections of these packs are on the site: the command may select others.");
  if (task.length > LONG) list.push(`Of the task the first ${count(LONG)} characters were looked at.`);
  return list;
}

function copyButton(label: string, text: string): HTMLElement {
  return button("quiet", label, (b) => {
    navigator.clipboard.writeText(text).then(
      () => flash(b, "Copied"),
      () => flash(b, "Could not copy"),
    );
  });
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
