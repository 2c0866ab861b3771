// The loadout index of a site as its small files say it: the lists of the words of a task
// first, from which the kernel knows what it loads and at what cost; then the entries that
// are shown, which the kernel scores again.

import type { Answer, Detail } from "../answer";
import type { Kernel, Question } from "../kernel";
import { Bytes } from "../shard/bytes";
import { Files } from "../shard/files";
import type { Table } from "../shard/table";

const FOLDER = "match/";
const VERSION = 1;

/** match/index.json. */
interface Root {
  readonly version: number;
  readonly entries: number;
  readonly lazy: number; // entries that words decide on
  readonly unicode: boolean;
  readonly packs: { readonly name: string; readonly entries: number }[];
  readonly runs: { readonly name: string; readonly entries: number }[];
  readonly words: Table;
  readonly paths: Table;
  readonly tasks?: string;
  readonly suites?: string;
}

/** An entry of the index. */
export interface Entry {
  id: string;
  path: string;
  keywords: string[];
  patterns: string[];
  priority: string;
  summary: string;
  triggers: { task: boolean; plan: boolean; edit: boolean };
  tokens_est: number;
  lines: number;
}

/** Reports a pattern that hits as a whole: a question, or a name of a title. */
export const isWhole = (pattern: string): boolean => pattern.endsWith(" ?");

/** A task of an eval. */
export interface Task {
  readonly pack: string;
  readonly file: string;
  readonly task: string;
  readonly dialect: "coverage" | "recall" | "weighted";
  readonly must?: Target[];
  readonly mustNot?: Target[];
  readonly tokens?: number;
}

export interface Target {
  readonly id: string;
  readonly rank?: number;
  readonly at: number; // place in the index; -1 when there is no such entry
}

/** The discovery and context evals of a pack. */
export interface Suite {
  readonly pack: string;
  readonly words?: string[];
  readonly declared?: Record<string, string[]>;
  readonly prompts?: { readonly prompt: string; readonly select?: boolean; readonly never?: boolean }[];
  readonly budget?: number;
  readonly queries?: SuiteQuery[];
}

export interface SuiteQuery {
  readonly query: string;
  readonly also?: string[];
  readonly budget?: number;
  readonly unanswerable?: boolean;
  readonly required?: string[]; // paths, or the path of a document and a section as x.md#section
  readonly forbidden?: string[];
}

/** Where the entry of a file is, and the numbers of the tasks that load it. */
export interface Located {
  readonly at: number;
  readonly tasks: number[];
}

interface Postings {
  readonly pack: number;
  readonly postings: Bytes;
}

/** The index of a site. Make one with open. */
export class Index {
  private readonly starts: number[] = []; // of the packs
  private readonly texts = new Map<number, string>(); // JSON of entries, by place

  private constructor(private readonly files: Files<Root>) {
    let at = 0;
    for (const pack of files.root.packs) {
      this.starts.push(at);
      at += pack.entries;
    }
  }

  /** Opens the index of the site at an address. */
  static async open(base: URL): Promise<Index> {
    return new Index(await Files.open<Root>(base, `${FOLDER}index.json`, VERSION));
  }

  get base(): URL {
    return this.files.base;
  }

  /** The place of an entry counted from the end of those of its pack, less than 0. */
  fromEnd(pack: string, place: number): number {
    const at = this.files.root.packs.findIndex((p) => p.name === pack);
    return place - (this.starts[at] ?? 0) - (this.files.root.packs[at]?.entries ?? 0);
  }

  /** The tasks of the evals. */
  async tasks(): Promise<Task[]> {
    const { tasks } = this.files.root;
    return tasks ? this.files.json<Task[]>(FOLDER, tasks) : [];
  }

  /** The other evals of packs. */
  async suites(): Promise<Suite[]> {
    const { suites } = this.files.root;
    return suites ? this.files.json<Suite[]>(FOLDER, suites) : [];
  }

  /** The arithmetic of one entry that stands alone in an index. */
  alone(kernel: Kernel, entry: Entry, question: Question): Answer {
    return kernel.detail(excerpt({ entries: 1, lazy: 1, unicode: false }, [], new Map([[0, JSON.stringify(entry)]]), new Map()), question, 0, 0) as Answer;
  }

  /** Where the entry of a file is, by its path below packs/, without the folder of all splits and its ending. */
  async find(path: string): Promise<Located | undefined> {
    const found = await this.files.near(FOLDER, this.files.root.paths, path, (_, r) => {
      const pack = r.number();
      const place = r.number();
      const tasks: number[] = [];
      for (let n = r.number(); n > 0; n--) tasks.push(r.number());
      return { pack, place, tasks };
    });
    const one = found.get(path);
    return one && { at: (this.starts[one.pack] ?? 0) + one.place, tasks: one.tasks };
  }

  /** The entry of a place, as index.json has it. */
  async entry(place: number): Promise<Entry> {
    return JSON.parse(await this.text(place)) as Entry;
  }

  private async text(place: number): Promise<string> {
    const known = this.texts.get(place);
    if (known !== undefined) return known;
    let at = place;
    for (const run of this.files.root.runs) {
      if (at >= run.entries) {
        at -= run.entries;
        continue;
      }
      for (const [name, entries] of await this.files.json<[string, number][]>(FOLDER, run.name)) {
        if (at >= entries) {
          at -= entries;
          continue;
        }
        const r = new Bytes(await this.files.file(FOLDER, name));
        for (let i = 0; i < entries; i++) this.texts.set(place - at + i, r.text());
        return this.texts.get(place) ?? "";
      }
    }
    throw new Error("A part of the index could not be loaded.");
  }

  /**
   * Answers a question with that many entries that load and that many that do not; 0 lists all.
   * Texts says whether the listed entries have theirs. Edits take the place of entries.
   */
  async answer(kernel: Kernel, question: Question, limit: number, near: number, texts = true, edits = new Map<number, Entry>()): Promise<Answer> {
    const lists = await this.lists(kernel, question);
    const hand = new Map([...edits].map(([place, entry]) => [place, JSON.stringify(entry)]));
    const lazy = await this.lazyBeside(edits);
    const ask = (others: Map<number, string>): Answer => kernel.detail(this.excerpt(lists, lazy, hand, others), question, limit, near) as Answer;
    const bare = ask(new Map());
    if (!texts) return bare;
    const others = new Map<number, string>();
    await Promise.all(bare.entries.filter((entry) => !hand.has(entry.at)).map(async (entry) => others.set(entry.at, await this.text(entry.at))));
    return others.size > 0 ? ask(others) : bare;
  }

  /**
   * Entries that hold forms of the words of a task and that an answer does not have: those
   * that the weighted dialect rates best, whatever the dialect of the question is.
   */
  async others(kernel: Kernel, question: Question, most: number, edits: Map<number, Entry>): Promise<Answer> {
    const known = await this.answer(kernel, question, 0, 0, false, edits);
    const places = new Set(known.entries.map((entry) => entry.at));
    const by: Question = { ...question, dialect: "weighted", min: 0 };
    const lists = await this.lists(kernel, by);
    const hand = new Map([...edits].map(([place, entry]) => [place, JSON.stringify(entry)]));
    const lazy = await this.lazyBeside(edits);
    const rate = (texts: Map<number, string>): Answer => kernel.detail(this.excerpt(lists, lazy, hand, texts), by, 0, 1) as Answer;
    const best = (answer: Answer): Detail[] => answer.entries.filter((entry) => !places.has(entry.at) && entry.mode === "lazy").slice(0, most);
    const texts = new Map<number, string>();
    await Promise.all(best(rate(texts)).filter((entry) => !hand.has(entry.at)).map(async (entry) => texts.set(entry.at, await this.text(entry.at))));
    const answer = rate(texts);
    return { ...answer, entries: best(answer).map((entry) => ({ ...entry, included: false, elsewhere: true })) };
  }

  /** How many entries words decide on, without those that are edited. */
  private async lazyBeside(edits: Map<number, Entry>): Promise<number> {
    const old = await Promise.all([...edits.keys()].map((place) => this.entry(place)));
    return this.files.root.lazy - old.filter((entry) => entry.priority !== "core" && entry.priority !== "manual").length;
  }

  private async lists(kernel: Kernel, question: Question): Promise<[string, Postings[]][]> {
    const { root } = this.files;
    return Promise.all(
      kernel.keys(question, root.unicode).map(async (key): Promise<[string, Postings[]]> => {
        const near = await this.files.near(FOLDER, root.words, key, (_, r) => readPacks(r));
        return [key, near.get(key) ?? []];
      }),
    );
  }

  private excerpt(lists: [string, Postings[]][], lazy: number, edited: Map<number, string>, others: Map<number, string>): Uint8Array {
    const parts = lists.map(([key, packs]): [string, Uint8Array] => {
      const value = new Writer();
      for (const { pack, postings } of packs) {
        value.number(this.starts[pack] ?? 0);
        value.part(postings.data.subarray(postings.at, postings.end));
      }
      return [key, value.data()];
    });
    return excerpt({ ...this.files.root, lazy }, parts, edited, others);
  }
}

/** An excerpt of an index as the kernel reads it: see loadout.Excerpt. */
function excerpt(index: { entries: number; lazy: number; unicode: boolean }, lists: [string, Uint8Array][], edited: Map<number, string>, others: Map<number, string>): Uint8Array {
  const w = new Writer();
  w.bytes(new TextEncoder().encode("PKDX\x01"));
  w.number(index.entries);
  w.number(index.lazy);
  w.number(index.unicode ? 1 : 0);
  w.number(lists.length);
  for (const [key, value] of lists) {
    w.part(new TextEncoder().encode(key));
    w.part(value);
  }
  w.number(edited.size + others.size);
  for (const [list, flag] of [[edited, 1], [others, 0]] as const) {
    for (const [place, text] of list) {
      w.number(place);
      w.number(flag);
      w.part(new TextEncoder().encode(text));
    }
  }
  return w.data();
}

function readPacks(r: Bytes): Postings[] {
  const packs: Postings[] = [];
  let pack = -1;
  for (let n = r.number(); n > 0; n--) {
    pack += r.number();
    packs.push({ pack, postings: r.part() });
  }
  return packs;
}

/** Writes numbers and parts. */
class Writer {
  private buffer = new Uint8Array(1 << 12);
  private size = 0;

  data(): Uint8Array {
    return this.buffer.subarray(0, this.size);
  }

  number(n: number): void {
    const bytes: number[] = [];
    for (; n >= 128; n = Math.floor(n / 128)) bytes.push((n % 128) + 128);
    this.bytes(Uint8Array.from([...bytes, n]));
  }

  part(data: Uint8Array): void {
    this.number(data.length);
    this.bytes(data);
  }

  bytes(data: Uint8Array): void {
    while (this.size + data.length > this.buffer.length) {
      const larger = new Uint8Array(2 * this.buffer.length);
      larger.set(this.buffer);
      this.buffer = larger;
    }
    this.buffer.set(data, this.size);
    this.size += data.length;
  }
}
