// What the search reads of the files of its index.

import { Bytes } from "../shard/bytes";
import { Files as Shards } from "../shard/files";
import { isNumbered } from "./newest";
import { VERSION, type Root } from "./root";

export { ChangedError } from "../shard/files";

const FOLDER = "search/";

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
  private constructor(private readonly shards: Shards<Root>) {}

  get base(): URL {
    return this.shards.base;
  }

  get root(): Root {
    return this.shards.root;
  }

  /** Opens the index of the site at an address. */
  static async open(base: URL): Promise<Files> {
    return new Files(await Shards.open<Root>(base, "search/index.json", VERSION));
  }

  /** The words in the file that would hold a stem. */
  async near(stem: string): Promise<Map<string, Entry>> {
    return this.shards.near(FOLDER, this.root.words, stem, readEntry);
  }

  async word(stem: string): Promise<Entry | undefined> {
    return (await this.near(stem)).get(stem);
  }

  /** The versions that titles name, each with the sections of a pack that are called so. */
  async versions(): Promise<{ version: string; pack: number; sections: number[] }[]> {
    const digits = [..."0123456789"];
    const keys = digits.flatMap((d) => [`v${d}`, ...digits.map((e) => `v${d}.${e}`)]);
    const entries = new Map((await Promise.all(keys.map((key) => this.near(key)))).flatMap((words) => [...words]).filter(([stem]) => isNumbered(stem)));
    await Promise.all([...entries.values()].map((entry) => this.whole(entry)));
    return [...entries].flatMap(([version, entry]) => entry.packs.map(({ pack, postings }) => ({ version, pack, sections: titled(postings.again()) })));
  }

  /** Reads the rest of a word that is cut in two. */
  async whole(entry: Entry): Promise<void> {
    if (entry.rest === "") return;
    const packs = readPacks(new Bytes(await this.shards.file(FOLDER, entry.rest)));
    if (entry.rest !== "") entry.packs.push(...packs);
    entry.rest = "";
  }

  /** The flags of the sections of a run. */
  async run(i: number): Promise<Uint8Array> {
    const run = this.root.runs?.[i];
    return run ? this.shards.file(FOLDER, run.name) : new Uint8Array();
  }

  /** How a section of a pack is shown, and its page. */
  async title(pack: number, section: number): Promise<{ page: ShownPage; section: ShownSection } | undefined> {
    const [perFile, perGroup] = this.root.titles;
    const p = this.root.packs[pack];
    const file = Math.floor(section / perFile);
    const name = p?.titles?.[Math.floor(file / perGroup)];
    if (!p || name === undefined) return undefined;
    const pages = await this.shards.json<ShownPage[]>(p.dir + FOLDER, `${name}-${file % perGroup}`);
    let at = section % perFile;
    for (const page of pages) {
      const found = page[2][at];
      if (found) return { page, section: found };
      at -= page[2].length;
    }
    return undefined;
  }

  /** A file of a pack that holds JSON. */
  async ofPack<T>(pack: number, name: string): Promise<T> {
    return this.shards.json<T>((this.root.packs[pack]?.dir ?? "") + FOLDER, name);
  }

  /** A file of a pack that holds a text. */
  async textOf(pack: number, name: string): Promise<string> {
    return new TextDecoder().decode(await this.fileOf(pack, name));
  }

  /** A file of a pack. */
  async fileOf(pack: number, name: string): Promise<Uint8Array> {
    return this.shards.file((this.root.packs[pack]?.dir ?? "") + FOLDER, name);
  }

  /** The Markdown of a section. */
  async markdown(pack: number, text: string): Promise<string> {
    return this.text(pack, `compiled/splits/${text}.md`);
  }

  /** A published file of a pack. */
  async text(pack: number, name: string): Promise<string> {
    const path = (this.root.packs[pack]?.dir ?? "") + name.split("/").map(encodeURIComponent).join("/");
    const answer = await fetch(new URL(path, this.base));
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  }
}

const TITLE = 1; // the bit of the field of titles

/** The sections of a pack whose titles hold a word. */
function titled(p: Bytes): number[] {
  const list: number[] = [];
  let at = -1;
  while (!p.done) {
    const first = p.byte();
    if (first < 128) {
      at += (first >> 3) + 1;
      continue;
    }
    at += p.number();
    if (first & TITLE) list.push(at);
    for (let field = 0; field < 7; field++) if (first & (1 << field)) p.number();
  }
  return list;
}

function readEntry(stem: string, r: Bytes): Entry {
  return { stem, sections: r.number(), rest: r.text(), packs: readPacks(r) };
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
