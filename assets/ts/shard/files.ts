// Fetches the small files of an index. Those with hashed names never change, so each is
// read once; one that fails is tried again.

import type { Bytes } from "./bytes";
import { nameFor, readKeys, type Table } from "./table";

const RETRIES = [300, 1200]; // milliseconds before a file is tried again

/** The site is another one than when the index was opened. */
export class ChangedError extends Error {}

const CHANGED = "The site has changed since this page was opened.";

/** The files of an index, and its root. */
export class Files<Root extends { readonly version: number }> {
  private readonly kept = new Map<string, Promise<Uint8Array>>();
  private readonly read = new Map<string, Promise<Map<string, unknown>>>();

  private constructor(
    readonly base: URL,
    readonly root: Root,
    private readonly path: string,
    private readonly text: string,
  ) {}

  /** Opens an index of the site at an address, given the path of its root. */
  static async open<Root extends { readonly version: number }>(base: URL, path: string, version: number): Promise<Files<Root>> {
    const text = await retried(() => rootText(base, path, "no-cache"));
    if (text === undefined) throw new Error("The index could not be loaded.");
    const root = JSON.parse(text) as Root;
    if (root.version !== version) throw new ChangedError(CHANGED);
    return new Files(base, root, path, text);
  }

  /** The file of that name, unpacked. Folder is that of the index, below the site root. */
  async file(folder: string, name: string): Promise<Uint8Array> {
    const path = `${folder}${name}.bin`;
    let data = this.kept.get(path);
    if (!data) {
      data = this.fetch(path);
      this.kept.set(path, data);
      data.catch(() => this.kept.delete(path));
    }
    return data;
  }

  /** The same, of a file that holds JSON. */
  async json<T>(folder: string, name: string): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await this.file(folder, name))) as T;
  }

  private async fetch(path: string): Promise<Uint8Array> {
    const read = await retried(async () => {
      const answer = await fetch(new URL(path, this.base));
      const data = new Uint8Array(answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0));
      if (data.length === 0) throw new Error(path); // no file is empty
      return unpack(data);
    });
    if (read) return read;
    const now = await rootText(this.base, this.path, "reload").catch(() => this.text);
    if (now !== this.text) throw new ChangedError(CHANGED);
    throw new Error("A part of the index could not be loaded.");
  }

  /** The keys in the file that would hold one, with what is kept of each. */
  async near<T>(folder: string, table: Table, key: string, value: (key: string, r: Bytes) => T): Promise<Map<string, T>> {
    let name = nameFor(table, key);
    if (name !== undefined && table.depth > 0) name = nameFor(await this.json<Table>(folder, name), key);
    if (name === undefined) return new Map();
    let keys = this.read.get(folder + name);
    if (!keys) {
      keys = this.file(folder, name).then((data) => readKeys(data, value));
      this.read.set(folder + name, keys);
      keys.catch(() => this.read.delete(folder + name));
    }
    return keys as Promise<Map<string, T>>;
  }
}

/** What a reader returns, which is tried again when it fails; nothing when it fails for good. */
async function retried<T>(read: () => Promise<T>): Promise<T | undefined> {
  for (const pause of [...RETRIES, 0]) {
    try {
      return await read();
    } catch {
      if (pause > 0) await new Promise((done) => setTimeout(done, pause));
    }
  }
  return undefined;
}

async function rootText(base: URL, path: string, cache: RequestCache): Promise<string> {
  const answer = await fetch(new URL(path, base), { cache });
  if (!answer.ok) throw new Error(path);
  return answer.text();
}

/** Unpacks what a server has not unpacked. */
export async function unpack(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
