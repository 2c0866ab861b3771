// Times matchLoadout of @mcptoolshop/ai-loadout over the tasks of a file and
// prints the mean of one match, in nanoseconds, of the quickest of some rounds.
//
//   node peer.mjs NODE_MODULES INDEX.json TASKS
//
// TASKS holds one task a line.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, indexFile, taskFile] = process.argv.slice(2);
const root = resolve(folder, "@mcptoolshop", "ai-loadout");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entry = exports["."].import.default ?? exports["."].import;
const { matchLoadout } = await import(pathToFileURL(join(root, entry)));

const index = JSON.parse(readFileSync(indexFile, "utf8"));
const tasks = readFileSync(taskFile, "utf8").split("\n");
for (const task of tasks) matchLoadout(task, index); // warm up
let best = Infinity;
for (let round = 0; round < 7; round++) {
  const start = process.hrtime.bigint();
  for (const task of tasks) matchLoadout(task, index);
  best = Math.min(best, Number(process.hrtime.bigint() - start) / tasks.length);
}
console.log(best);
