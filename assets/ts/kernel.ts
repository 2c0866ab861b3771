// The matcher as WebAssembly: loads the module, and asks it. The contract is in the
// package comment of assets/wasm.

import { unpack } from "./shard/files";
import { imports } from "./wasi";

/** The module's name, and its digest packed and unpacked, put in by the bundler. */
declare const MATCHER_FILE: string;
declare const MATCHER_SUM: string;
declare const MATCHER_PLAIN_SUM: string;

/** The ways to score: the two of loadout section 1, and by the weight of words. */
export type Dialect = "coverage" | "recall" | "weighted";

/** What is asked: a task, other wordings of it, and how it is scored. */
export interface Question {
  readonly task: string;
  readonly also: string[];
  readonly dialect: Dialect;
  readonly min: number;
}

interface Exports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  alloc(size: number): number;
  free(address: number): void;
  load(address: number, size: number): number;
  keys(address: number, size: number, options: number): bigint;
  match(address: number, size: number, options: number, minScore: number): bigint;
  matchDetail(address: number, size: number, options: number, minScore: number, limit: number, near: number): bigint;
}

/** The bits that the kernel knows the dialects by. */
const BITS: Record<Dialect, number> = { coverage: 0, recall: 1, weighted: 4 };
const UNICODE = 8;

/** What is between a task and its other wordings. */
const SEPARATOR = "\x1e";

/** An instance of the module, and another one after a trap. */
export class Kernel {
  private exports: Exports | undefined;
  private loaded: Uint8Array | undefined;

  private constructor(private readonly module: WebAssembly.Module) {}

  /** Fetches, checks and compiles the module. */
  static async open(): Promise<Kernel> {
    const packed = await fetchChecked(new URL(MATCHER_FILE, import.meta.url).href, MATCHER_SUM, MATCHER_PLAIN_SUM);
    return new Kernel(await WebAssembly.compile(await unpack(packed)));
  }

  /** The keys of the lists that an excerpt needs to answer a question. */
  keys(question: Question, unicode: boolean): string[] {
    const bits = BITS[question.dialect] | (unicode ? UNICODE : 0);
    const { keys } = this.ask(question, undefined, (kernel, at, size) => kernel.keys(at, size, bits)) as { keys: string[] };
    return [...new Set(keys)];
  }

  /** The arithmetic for a question: that many entries that load and that many that do not; 0 is all. */
  detail(data: Uint8Array, question: Question, limit: number, near: number): unknown {
    return this.ask(question, data, (kernel, at, size) => kernel.matchDetail(at, size, BITS[question.dialect], question.min, limit, near));
  }

  /** The bytes that `packgen match --json` prints under "results", of an index.bin. */
  results(data: Uint8Array, question: Question): string {
    return this.call(question, data, (kernel, at, size) => kernel.match(at, size, BITS[question.dialect], question.min));
  }

  private ask(question: Question, data: Uint8Array | undefined, call: (kernel: Exports, at: number, size: number) => bigint): unknown {
    return JSON.parse(this.call(question, data, call));
  }

  private call(question: Question, data: Uint8Array | undefined, call: (kernel: Exports, at: number, size: number) => bigint): string {
    let text: string;
    try {
      text = this.callOnce([question.task, ...question.also].join(SEPARATOR), data, call);
    } catch (error) {
      // A trap leaves the instance unusable: the next question gets a new one.
      this.exports = undefined;
      this.loaded = undefined;
      throw error;
    }
    const { error } = JSON.parse(text) as { error?: string };
    if (error) throw new Error(error);
    return text;
  }

  private callOnce(question: string, data: Uint8Array | undefined, call: (kernel: Exports, at: number, size: number) => bigint): string {
    const kernel = (this.exports ??= this.start());
    if (data && data !== this.loaded) {
      const code = kernel.load(put(kernel, data), data.length);
      if (code !== 0) throw new Error(`the index cannot be read (code ${code})`);
      this.loaded = data;
    }
    const bytes = new TextEncoder().encode(question);
    const at = put(kernel, bytes);
    const packed = BigInt.asUintN(64, call(kernel, at, bytes.length));
    const answer = new Uint8Array(kernel.memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn));
    const text = new TextDecoder().decode(answer);
    kernel.free(at);
    return text;
  }

  private start(): Exports {
    let kernel: Exports;
    const instance = new WebAssembly.Instance(
      this.module,
      imports(() => kernel.memory, this.module),
    );
    kernel = instance.exports as Exports;
    kernel._initialize();
    return kernel;
  }
}

function put(kernel: Exports, bytes: Uint8Array): number {
  const at = kernel.alloc(Math.max(1, bytes.length)) >>> 0;
  if (at === 0) throw new Error("the text is too long for the matcher");
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  return at;
}

/**
 * Fetches a file that must have one of the given SHA-256 digests. One that has
 * not may come from a cache that is older than the page: it is asked for again.
 */
export async function fetchChecked(url: string, ...sums: string[]): Promise<Uint8Array<ArrayBuffer>> {
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
