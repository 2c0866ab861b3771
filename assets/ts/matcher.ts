// The loadout matcher: loads the WebAssembly module and the index, and asks it.
// The contract is in the package comment of assets/wasm. Nothing is fetched
// before the first question.

import { imports } from "./wasi";

/** The module's name, and its digest packed and unpacked, put in by the bundler. */
declare const MATCHER_FILE: string;
declare const MATCHER_SUM: string;
declare const MATCHER_PLAIN_SUM: string;

/** The ways to score: the two of loadout section 1, and by the weight of words. */
export type Dialect = "coverage" | "recall" | "weighted";

/** The score from which an entry loads, unless the reader says otherwise. */
export const USUAL: Record<Dialect, number> = { coverage: 0.1, recall: 0.1, weighted: 0.4 };

/** The dialect of a name; coverage for any other text. */
export function dialectOf(name: string | null | undefined): Dialect {
  return name === "recall" || name === "weighted" ? name : "coverage";
}

/** One scored entry. */
export interface Detail {
  id: string;
  priority: string;
  mode: string;
  tokens: number | null;
  included: boolean;
  score: number;
  hits: number;
  keywords: number;
  coverage: number;
  absolute: number;
  base: number;
  patternBonus: number;
  matchedKeywords: string[];
  missedKeywords: string[];
  matchedPatterns: string[];
  summary: string;
  path: string;
  reason: string;
  /** The words that hit in a weighted score, and what each is worth; the last are in the summary alone. */
  words?: string[];
  worth?: number[];
  inSummary?: number;
  /** The other wording, from 1, that this is the score for; none for the task itself. */
  wording?: number;
}

/** What the matcher says about a task. */
export interface Answer {
  dialect: Dialect;
  minScore: number;
  tokens: string[];
  total: number;
  /** What would load, whether it is listed or not. */
  loads: { entries: number; tokens: number };
  entries: Detail[];
}

interface Kernel extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  alloc(size: number): number;
  free(address: number): void;
  load(address: number, size: number): number;
  match(address: number, size: number, options: number, minScore: number): bigint;
  matchDetail(address: number, size: number, options: number, minScore: number, limit: number, near: number): bigint;
}

/** The bits that the kernel knows the dialects by. */
const BITS: Record<Dialect, number> = { coverage: 0, recall: 1, weighted: 4 };

/** What is between a task and its other wordings. */
const SEPARATOR = "\x1e";

/** A matcher over one index. Make one with open. */
export class Matcher {
  private kernel: Kernel | undefined;

  private constructor(
    private readonly module: WebAssembly.Module,
    private readonly index: Uint8Array<ArrayBuffer>,
  ) {}

  /** Fetches and checks the module and the index, at the same time. */
  static async open(indexURL: string, indexSum: string): Promise<Matcher> {
    const [packed, index] = await Promise.all([
      fetchChecked(new URL(MATCHER_FILE, import.meta.url).href, MATCHER_SUM, MATCHER_PLAIN_SUM),
      fetchChecked(indexURL, indexSum),
    ]);
    const module = await WebAssembly.compile(await unzip(packed));
    return new Matcher(module, index);
  }

  /**
   * Scores every entry for a task, and for other wordings of it, and lists so many that load
   * and so many that do not; 0 is all.
   */
  detail(task: string, dialect: Dialect, minScore: number, limit: number, near: number, also: string[] = []): Answer {
    const text = this.ask([task, ...also].join(SEPARATOR), (kernel, at, size) =>
      kernel.matchDetail(at, size, BITS[dialect], minScore, limit, near),
    );
    return parse(text) as Answer;
  }

  /** The bytes that `packgen match --json` prints under "results". */
  results(task: string, dialect: Dialect, minScore: number, also: string[] = []): string {
    const text = this.ask([task, ...also].join(SEPARATOR), (kernel, at, size) =>
      kernel.match(at, size, BITS[dialect], minScore),
    );
    parse(text);
    return text;
  }

  private ask(question: string, call: (kernel: Kernel, at: number, size: number) => bigint): string {
    try {
      return this.askOnce(question, call);
    } catch (error) {
      // A trap leaves the instance unusable: the next question gets a new one.
      this.kernel = undefined;
      throw error;
    }
  }

  private askOnce(question: string, call: (kernel: Kernel, at: number, size: number) => bigint): string {
    const kernel = (this.kernel ??= this.start());
    const bytes = new TextEncoder().encode(question);
    const at = put(kernel, bytes);
    const packed = BigInt.asUintN(64, call(kernel, at, bytes.length));
    const answer = new Uint8Array(kernel.memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn));
    const text = new TextDecoder().decode(answer);
    kernel.free(at);
    return text;
  }

  private start(): Kernel {
    let kernel: Kernel;
    const instance = new WebAssembly.Instance(
      this.module,
      imports(() => kernel.memory, this.module),
    );
    kernel = instance.exports as Kernel;
    kernel._initialize();
    const at = put(kernel, this.index);
    const code = kernel.load(at, this.index.length);
    if (code !== 0) throw new Error(`the index cannot be read (code ${code})`);
    return kernel;
  }
}

function put(kernel: Kernel, bytes: Uint8Array): number {
  const at = kernel.alloc(Math.max(1, bytes.length)) >>> 0;
  if (at === 0) throw new Error("the text is too long for the matcher");
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  return at;
}

function parse(text: string): unknown {
  const value = JSON.parse(text) as { error?: string };
  if (value.error) throw new Error(value.error);
  return value;
}

/**
 * Fetches a file that must have one of the given SHA-256 digests. One that has
 * not may come from a cache that is older than the page: it is asked for again.
 */
async function fetchChecked(url: string, ...sums: string[]): Promise<Uint8Array<ArrayBuffer>> {
  for (const cache of ["default", "reload"] as const) {
    const answer = await fetch(url, { cache });
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (await fits(bytes, sums)) return bytes;
  }
  throw new Error(`${url} is not the file this page was made with`);
}

async function fits(bytes: Uint8Array<ArrayBuffer>, sums: string[]): Promise<boolean> {
  // crypto.subtle exists in secure contexts only; plain HTTP goes unchecked.
  if (!sums[0] || !globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return sums.includes(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/** Unpacks gzip, unless the server has done so on the way. */
async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.buffer;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
