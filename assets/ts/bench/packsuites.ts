// Scores the discovery and context evals of the packs whose entries are edited, as
// `packgen eval` does. What is edited in one pack changes nothing in another.

import type { Bench } from "../match";
import { catalogOf } from "../resolve/catalog";
import { Resolver } from "../resolve/resolve";
import { Files } from "../search/files";
import type { Entry, Suite, SuiteQuery } from "./index";
import { idOf, type Changes } from "./state";

/** How a suite comes out before and after the changes. */
export interface Outcome {
  readonly name: string; // such as "discovery prompts of x"
  readonly before: boolean[];
  readonly after: boolean[];
  readonly cases: string[];
}

const SELECT = 0.4; // the score from which a prompt selects a pack
const BUDGET = 6000;
const LEAST = 250;

/** The outcomes of the suites that the changes may touch. */
export async function outcomes(bench: Bench, changes: Changes): Promise<Outcome[]> {
  const list: Outcome[] = [];
  for (const suite of await bench.index.suites()) {
    const own: Changes = new Map([...changes].filter(([path]) => path.split("/")[0] === suite.pack));
    const { prompts = [], queries = [] } = suite;
    if (prompts.length > 0 && [...own.values()].some((change) => change.keywords)) {
      const score = (words: string[]): boolean[] => prompts.map(({ prompt, select, never }) => never !== true && selects(bench, words, prompt) === (select === true));
      list.push({ name: `prompts that select ${suite.pack} or not`, before: score(words(suite, new Map())), after: score(words(suite, own)), cases: prompts.map((p) => p.prompt) });
    }
    const asked = [...own].filter(([, change]) => (change.questions ?? []).length > 0);
    if (queries.length > 0 && asked.length > 0) {
      const files = await Files.open(bench.index.base);
      const resolver = new Resolver(files, await catalogOf(bench.index.base));
      const splits = await splitsOf(bench.index.base, suite.pack);
      const sections = files.root.packs.find((pack) => pack.name === suite.pack)?.sections ?? 0;
      const more = new Map<number, string[]>();
      for (const [path, { questions = [] }] of asked) {
        const at = (await bench.index.find(path))?.at;
        const section = at === undefined ? -1 : bench.index.fromEnd(suite.pack, at) + sections;
        if (section >= 0) more.set(section, questions);
      }
      const score = async (added?: Map<number, string[]>): Promise<boolean[]> => {
        const passed: boolean[] = [];
        for (const query of queries) passed.push(await answers(resolver, splits, suite, query, added));
        return passed;
      };
      list.push({ name: `queries of ${suite.pack}`, before: await score(), after: await score(more), cases: queries.map((q) => q.query) });
    }
  }
  return list;
}

/** The words that select a pack: those of its metadata, and the keywords that it declares. */
function words(suite: Suite, changes: Changes): string[] {
  const declared = new Map(Object.entries(suite.declared ?? {}));
  for (const [path, { keywords }] of changes) if (keywords) declared.set(idOf(path), keywords);
  return [...new Set([...(suite.words ?? []), ...[...declared.values()].flat()])];
}

function selects({ kernel, index }: Bench, keywords: string[], prompt: string): boolean {
  const entry: Entry = { id: "pack", path: "KNOWLEDGE.md", keywords, patterns: [], priority: "domain", summary: "", triggers: { task: true, plan: true, edit: true }, tokens_est: 0, lines: 0 };
  return index.alone(kernel, entry, { task: prompt, also: [], dialect: "recall", min: SELECT }).loads.entries > 0;
}

/** What the index of a pack says of a split. */
interface Split {
  readonly path: string;
  readonly document: string;
  readonly section_id: string;
  readonly sections?: string[];
}

async function splitsOf(base: URL, pack: string): Promise<Map<string, Split>> {
  const answer = await fetch(new URL(`packs/${pack}/compiled/index.json`, base));
  if (!answer.ok) throw new Error("The index of the pack could not be loaded.");
  return new Map(((await answer.json()) as { splits: Split[] }).splits.map((split) => [split.path, split]));
}

/** Whether a query selects what it must, and nothing that it must not. */
async function answers(resolver: Resolver, splits: Map<string, Split>, suite: Suite, query: SuiteQuery, more: Map<number, string[]> | undefined): Promise<boolean> {
  const budget = Math.max(query.budget ?? suite.budget ?? BUDGET, LEAST);
  const { packs, tokens, sure } = await resolver.resolve([query.query, ...(query.also ?? [])], budget, suite.pack, more);
  const taken = packs.flatMap((pack) => pack.taken).map(({ pick }) => pick.path);
  const has = (name: string): boolean => taken.some((path) => path === name || covers(splits.get(path), name));
  return (query.required ?? []).every(has) && !(query.forbidden ?? []).some(has) && tokens <= budget && !(query.unanswerable === true && sure);
}

function covers(split: Split | undefined, name: string): boolean {
  if (!split) return false;
  const [document, section] = name.split("#");
  return split.document === document && (section === undefined || (split.sections ?? [split.section_id]).includes(section));
}
