// Fetches the files of the index. Those with hashed names never change, so each is
// read once; one that fails is tried again.

import { Bytes } from "./bytes";
import { VERSION, type Root, type Table } from "./root";

const RETRIES = [300, 1200]; // milliseconds before a file is tried again

/** The site is another one than when the index was opened. */
export class ChangedError extends Error {}

/** A word of the index: which sections of which packs hold it. */
export interface Entry {
  readonly stem: string;
  readonly sections: number;
  readonly packs: Postings[];
  /** The file with the other sections of a word that very many hold; "" where these are all. */
  rest: string;
}

/** The sections of a pack that hold a word. */
export interface Postings {
  readonly pack: number;
  readonly postings: Bytes;
  readonly lengths: Bytes;
}

/** A page with its sections, as a file of titles has them. */
export type ShownPage = [url: string, title: string, sections: ShownSection[]];
export type ShownSection = [fragment: string, title: string, tokens: number, text: string, above: string[] | null];

/** The files of one site. */
export class Files {
  private readonly kept = new Map<string, Promise<Uint8Array>>();
  private readonly words = new Map<string, Promise<Map<string, Entry>>>();

  private constructor(
    readonly base: URL,
    readonly root: Root,
    private readonly text: string,
  ) {}

  /** Opens the index of the site at an address. */
  static async open(base: URL): Promise<Files> {
    const text = await rootText(base, "no-cache");
    const root = JSON.parse(text) as Root;
    if (root.version !== VERSION) throw new ChangedError("The site has changed since this page was opened.");
    return new Files(base, root, text);
  }

  /** The file of that name, unpacked. Path is that of a folder below the site root. */
  async file(folder: string, name: string): Promise<Uint8Array> {
    const path = `${folder}search/${name}.bin`;
    let data = this.kept.get(path);
    if (!data) {
      data = this.read(path);
      this.kept.set(path, data);
      data.catch(() => this.kept.delete(path));
    }
    return data;
  }

  private async read(path: string): Promise<Uint8Array> {
    for (const pause of [...RETRIES, 0]) {
      try {
        const answer = await fetch(new URL(path, this.base));
        if (answer.ok) return await unpack(new Uint8Array(await answer.arrayBuffer()));
      } catch {
        // Tried again.
      }
      if (pause > 0) await new Promise((done) => setTimeout(done, pause));
    }
    const now = await rootText(this.base, "reload").catch(() => this.text);
    if (now !== this.text) throw new ChangedError("The site has changed since this page was opened.");
    throw new Error("A part of the search index could not be loaded.");
  }

  /** The words in the file that would hold a stem. */
  async near(stem: string): Promise<Map<string, Entry>> {
    let table = this.root.words;
    if (table.depth > 0) {
      const name = nameFor(table, stem);
      if (name === undefined) return new Map();
      table = JSON.parse(new TextDecoder().decode(await this.file("", name))) as Table;
    }
    const name = nameFor(table, stem);
    if (name === undefined) return new Map();
    let words = this.words.get(name);
    if (!words) {
      words = this.file("", name).then(readWords);
      this.words.set(name, words);
      words.catch(() => this.words.delete(name));
    }
    return words;
  }

  async word(stem: string): Promise<Entry | undefined> {
    return (await this.near(stem)).get(stem);
  }

  /** Reads the rest of a word that is cut in two. */
  async whole(entry: Entry): Promise<void> {
    if (entry.rest === "") return;
    const packs = readPacks(new Bytes(await this.file("", entry.rest)));
    if (entry.rest !== "") entry.packs.push(...packs);
    entry.rest = "";
  }

  /** The flags of the sections of a run. */
  async run(i: number): Promise<Uint8Array> {
    const run = this.root.runs?.[i];
    return run ? this.file("", run.name) : new Uint8Array();
  }

  /** How a section of a pack is shown, and its page. */
  async title(pack: number, section: number): Promise<{ page: ShownPage; section: ShownSection } | undefined> {
    const [perFile, perGroup] = this.root.titles;
    const p = this.root.packs[pack];
    const file = Math.floor(section / perFile);
    const name = p?.titles?.[Math.floor(file / perGroup)];
    if (!p || name === undefined) return undefined;
    const pages = JSON.parse(new TextDecoder().decode(await this.file(p.dir, `${name}-${file % perGroup}`))) as ShownPage[];
    let at = section % perFile;
    for (const page of pages) {
      const found = page[2][at];
      if (found) return { page, section: found };
      at -= page[2].length;
    }
    return undefined;
  }

  /** The Markdown of a section. */
  async markdown(pack: number, text: string): Promise<string> {
    const dir = this.root.packs[pack]?.dir ?? "";
    const path = `${dir}compiled/splits/${text.split("/").map(encodeURIComponent).join("/")}.md`;
    const answer = await fetch(new URL(path, this.base));
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  }
}

async function rootText(base: URL, cache: RequestCache): Promise<string> {
  const answer = await fetch(new URL("search/index.json", base), { cache });
  if (!answer.ok) throw new Error("The search index could not be loaded.");
  return answer.text();
}

/** Unpacks what a server has not unpacked. */
async function unpack(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The file in which a stem would be. */
function nameFor(table: Table, stem: string): string | undefined {
  const stems = table.stems ?? [];
  let low = 0;
  let high = stems.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(stems[middle] ?? "", stem) <= 0) low = middle + 1;
    else high = middle;
  }
  return table.names?.[Math.max(low - 1, 0)];
}

/** Compares texts as their bytes in UTF-8 do. */
function order(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = rank(a.charCodeAt(i));
    const y = rank(b.charCodeAt(i));
    if (x !== y) return x - y;
  }
  return a.length - b.length;
}

/** Halves of characters beyond the first plane come after all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function readWords(data: Uint8Array): Map<string, Entry> {
  const words = new Map<string, Entry>();
  const r = new Bytes(data);
  const utf8 = new TextEncoder();
  let before = new Uint8Array();
  while (!r.done) {
    const same = r.number();
    const end = r.part();
    const bytes = new Uint8Array(same + end.end - end.at);
    bytes.set(before.subarray(0, same));
    bytes.set(data.subarray(end.at, end.end), same);
    const stem = new TextDecoder().decode(bytes);
    before = utf8.encode(stem);
    const sections = r.number();
    const rest = r.text();
    words.set(stem, { stem, sections, rest, packs: readPacks(r) });
  }
  return words;
}

function readPacks(r: Bytes): Postings[] {
  const packs: Postings[] = [];
  let pack = -1;
  for (let n = r.number(); n > 0; n--) {
    pack += r.number();
    packs.push({ pack, postings: r.part(), lengths: r.part() });
  }
  return packs;
}
