// Scores the tasks of the evals as `packgen eval` does.

import { USUAL, type Answer } from "../answer";
import type { Bench } from "../match";
import type { Entry, Task } from "./index";

/** What came of a task. */
export interface Verdict {
  readonly task: Task;
  readonly misses: string[];
  readonly loads: Answer["loads"];
}

let unchanged: Promise<Verdict[]> | undefined;

/** The verdicts on all tasks, with some entries edited. */
export async function verdicts(bench: Bench, edits: Map<number, Entry>): Promise<Verdict[]> {
  if (edits.size > 0) return score(bench, edits);
  unchanged ??= score(bench, edits);
  unchanged.catch(() => (unchanged = undefined));
  return unchanged;
}

async function score({ kernel, index }: Bench, edits: Map<number, Entry>): Promise<Verdict[]> {
  const list: Verdict[] = [];
  for (const task of await index.tasks()) {
    const answer = await index.answer(kernel, { task: task.task, also: [], dialect: task.dialect, min: USUAL[task.dialect] }, 0, 1, false, edits);
    list.push({ task, misses: missesOf(task, answer), loads: answer.loads });
  }
  return list;
}

function missesOf(task: Task, answer: Answer): string[] {
  const rank = new Map<number, number>();
  answer.entries.filter((entry) => entry.included).forEach((entry, i) => rank.set(entry.at, i + 1));
  const misses: string[] = [];
  for (const { id, rank: least, at } of task.must ?? []) {
    const got = rank.get(at);
    if (got === undefined) misses.push(at < 0 ? `there is no entry ${id}` : `${id} is not selected`);
    else if (least && got > least) misses.push(`${id} is at rank ${got}, not ${least}`);
  }
  for (const { id, at } of task.mustNot ?? []) {
    if (at < 0) misses.push(`there is no entry ${id}`);
    else if (rank.has(at)) misses.push(`${id} is selected`);
  }
  if (task.tokens && answer.loads.tokens > task.tokens) misses.push(`${answer.loads.tokens} tokens, more than ${task.tokens}`);
  return misses;
}
