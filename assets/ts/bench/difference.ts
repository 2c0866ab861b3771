// Writes edits down: as front matter of KNOWLEDGE.md, and as a patch that adds them to it.

import type { Bench } from "../match";
import { idOf, type Change, type Changes } from "./state";

/** The edits as they are below metadata.loadout, pack by pack. */
export async function frontMatter(_: Bench, changes: Changes): Promise<string> {
  const parts: string[] = [];
  for (const [pack, list] of byPack(changes)) {
    parts.push(`# packs/${pack}/KNOWLEDGE.md`, "metadata:", "  loadout:", ...list.flatMap(([id, change]) => block(id, change)));
  }
  return `${parts.join("\n")}\n`;
}

/** Edits by pack, each with the id of its split; that of the pack itself is its name. */
function byPack(changes: Changes): Map<string, [string, Change][]> {
  const packs = new Map<string, [string, Change][]>();
  for (const [path, change] of changes) {
    const [pack = ""] = path.split("/");
    packs.set(pack, [...(packs.get(pack) ?? []), [idOf(path), change]]);
  }
  return packs;
}

function block(id: string, change: Change): string[] {
  const list = [`    ${scalar(id)}:`];
  for (const name of ["keywords", "patterns", "questions"] as const) {
    const words = change[name];
    if (words) list.push(`      ${name}: [${words.map(scalar).join(", ")}]`);
  }
  if (change.priority) list.push(`      priority: ${change.priority}`);
  if (change.triggers) list.push(`      triggers: {task: ${change.triggers.task}, plan: ${change.triggers.plan}, edit: ${change.triggers.edit}}`);
  return list;
}

/** A text as YAML reads it in a flow: plain where that is safe, otherwise as JSON. */
function scalar(text: string): string {
  const word = /^[a-z][a-z0-9 /_-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/.test(text) && !text.endsWith(" ");
  return word ? text : JSON.stringify(text);
}

/** A unified diff of the guides of the packs. */
export async function patch(bench: Bench, changes: Changes): Promise<string> {
  const parts: string[] = [];
  for (const [pack, list] of byPack(changes)) {
    const file = `packs/${pack}/KNOWLEDGE.md`;
    const answer = await fetch(new URL(file.split("/").map(encodeURIComponent).join("/"), bench.index.base));
    if (!answer.ok) throw new Error(`${file} is not on the site`);
    parts.push(patchOf(file, (await answer.text()).split("\n"), list));
  }
  return parts.join("");
}

/** The patch of one guide. What is declared of an entry already is for its author to join. */
export function patchOf(file: string, text: string[], list: [string, Change][]): string {
  const end = text.indexOf("---", 1);
  if (text[0] !== "---" || end < 0) throw new Error(`${file} has no front matter`);
  const head = text.slice(0, end);
  const declared = list.find(([id]) => head.some((line) => line.trim() === `${id}:` || line.trim() === `${JSON.stringify(id)}:`));
  if (declared) throw new Error(`${declared[0]} is declared already: copy the front matter`);
  const metadata = head.indexOf("metadata:");
  const loadout = metadata < 0 ? -1 : head.indexOf("  loadout:", metadata);
  const lines = list.flatMap(([id, change]) => block(id, change));
  if (loadout >= 0) return hunk(file, text, loadout + 1, lines);
  if (metadata >= 0) return hunk(file, text, metadata + 1, ["  loadout:", ...lines]);
  if (head.some((line) => /^metadata\s*:/.test(line))) throw new Error(`${file} has metadata on one line: copy the front matter`);
  return hunk(file, text, end, ["metadata:", "  loadout:", ...lines]);
}

/** A patch that adds lines before the line of a number, from 0. */
function hunk(file: string, text: string[], at: number, lines: string[]): string {
  const context = 3;
  const from = Math.max(0, at - context);
  const to = Math.min(text.length, at + context);
  const old = to - from;
  return [
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -${from + 1},${old} +${from + 1},${old + lines.length} @@`,
    ...text.slice(from, at).map((line) => ` ${line}`),
    ...lines.map((line) => `+${line}`),
    ...text.slice(at, to).map((line) => ` ${line}`),
    "",
  ].join("\n");
}
