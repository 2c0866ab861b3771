// A pack of the site, as a selection needs it: its sections with the words that they
// hold, and what its author says of them.

import type { Files } from "../search/files";
import { addVersion, type Versions } from "../search/newest";
import { Words } from "../search/words";
import { Bytes } from "../shard/bytes";
import { runsIn } from "./prose";
import type { Posting } from "./ranking";
import { shareOf } from "./ranking";

/** What a selection depends on beside words: context.Layout of the program. */
export interface Layout {
  readonly views?: string[];
  readonly boundaries?: { readonly unit: number; readonly declared?: boolean; readonly alone?: boolean }[];
  readonly map?: (Place & { readonly words: string[] | null })[];
  readonly primary?: Place;
  readonly classes?: Record<string, number[]>;
  readonly totals: number[];
  readonly splits: number;
  readonly asked?: string;
  readonly marked?: Record<string, string>;
}

export interface Place {
  readonly splits?: number[];
  readonly views?: string[];
}

/** A section or view, with its text. */
export interface Unit {
  readonly path: string;
  readonly text: string;
  readonly section: number; // -1 of a view
}

const BODY = 2; // the field of short postings
const QUESTIONS = 3;

/** What is added to the questions of a section: stems, and the words of all its questions. */
interface Questions {
  readonly stems: Map<string, number>;
  readonly length: number;
}

/** A pack. Make one with open. */
export class Pack {
  readonly sections: number;
  readonly groups: Uint32Array;
  private more = new Map<number, Questions>();
  private readonly units = new Map<string, Promise<Unit>>();

  private constructor(
    private readonly files: Files,
    readonly at: number,
    readonly layout: Layout,
    flags: Uint8Array,
  ) {
    this.sections = flags.length;
    this.groups = new Uint32Array(flags.length);
    let page = 0;
    flags.forEach((flag, i) => {
      if (flag & 1) page = i;
      this.groups[i] = page;
    });
  }

  /** Opens the pack of a place in the root; undefined for one that has no layout. */
  static async open(files: Files, at: number): Promise<Pack | undefined> {
    const { packs, runs } = files.root;
    const pack = packs[at];
    if (!pack?.layout) return undefined;
    const layout = await files.ofPack<Layout>(at, pack.layout);
    const from = packs.slice(0, at).reduce((sum, p) => sum + p.sections, 0);
    const flags = new Uint8Array(pack.sections);
    let start = 0;
    for (const [i, run] of (runs ?? []).entries()) {
      if (start < from + pack.sections && from < start + run.sections) {
        const bytes = await files.run(i);
        for (let n = Math.max(from, start); n < Math.min(from + pack.sections, start + run.sections); n++) flags[n - from] = bytes[n - start] ?? 0;
      }
      start += run.sections;
    }
    return new Pack(files, at, layout, flags);
  }

  /** The pack with more questions that sections answer. */
  async asking(files: Files, questions: Map<number, string[]>): Promise<Pack> {
    const words = new Words(files.root.rules);
    const known = this.layout.asked === undefined ? undefined : new Bytes(await files.fileOf(this.at, this.layout.asked));
    const lengths = Array.from({ length: this.sections }, () => (known && !known.done ? known.number() : 0));
    const more = new Map<number, Questions>();
    const totals = [...this.layout.totals];
    for (const [section, texts] of questions) {
      const stems = new Map<string, number>();
      let length = 0;
      for (const text of texts) {
        length += runsIn(text);
        const common = words.common(text);
        const asked = words.all(text, true).map(({ word }) => words.stem(word));
        for (const stem of common === "" ? asked : [...asked, common]) stems.set(stem, (stems.get(stem) ?? 0) + 1);
      }
      more.set(section, { stems, length: length + (lengths[section] ?? 0) });
      totals[QUESTIONS] = (totals[QUESTIONS] ?? 0) + length;
    }
    const pack = new Pack(files, this.at, { ...this.layout, totals }, new Uint8Array(this.sections));
    pack.groups.set(this.groups);
    pack.more = more;
    return pack;
  }

  /** Whether all splits of the pack are on the site. */
  get whole(): boolean {
    return this.layout.splits === this.sections;
  }

  /** The newest versions that the titles of its sections name. */
  async versions(): Promise<Versions> {
    const versions: Versions = new Map();
    for (const { version, pack, sections } of await this.files.versions()) {
      if (pack === this.at) for (const section of sections) addVersion(versions, section, version);
    }
    return versions;
  }

  /** The sections that hold a stem; totals and sections are those that it is ranked among. */
  async postings(stem: string, totals: number[], sections: number): Promise<Posting[]> {
    const { rules } = this.files.root;
    const entry = await this.files.word(stem);
    if (entry) await this.files.whole(entry);
    const list: Posting[] = [];
    const rest = new Map(this.more);
    const add = (section: number, counts: number[], words: number[]): void => {
      const more = rest.get(section);
      const asked = more?.stems.get(stem) ?? 0;
      if (more && asked + (counts[QUESTIONS] ?? 0) > 0) {
        counts[QUESTIONS] = (counts[QUESTIONS] ?? 0) + asked;
        words[QUESTIONS] = more.length;
      }
      rest.delete(section);
      list.push({ section, ...shareOf(rules, counts, words, totals, sections) });
    };
    for (const { pack, postings, lengths } of entry?.packs ?? []) {
      if (pack !== this.at) continue;
      const p = postings.again();
      const l = lengths.again();
      let at = -1;
      while (!p.done) {
        const counts = [0, 0, 0, 0];
        const first = p.byte();
        if (first < 128) {
          at += (first >> 3) + 1;
          counts[BODY] = (first & 7) + 1;
        } else {
          at += p.number();
          for (let field = 0; field < 7; field++) if (first & (1 << field)) counts[field] = p.number();
        }
        const words = counts.map((n) => (n > 0 ? l.number() : 0));
        add(at, counts, words);
      }
    }
    for (const [section, { stems }] of rest) if (stems.has(stem)) add(section, [0, 0, 0, 0], [0, 0, 0, 0]);
    // The rest of a word that is cut in two comes after its first part.
    return list.sort((a, b) => a.section - b.section);
  }

  /** A section with its text. */
  async section(section: number): Promise<Unit> {
    const found = await this.files.title(this.at, section);
    if (!found) throw new Error("A part of the index could not be loaded.");
    return this.unit(`compiled/splits/${found.section[3]}.md`, section);
  }

  /** The folder of the page of a section. */
  async folder(section: number): Promise<string> {
    const url = (await this.files.title(this.at, section))?.page[0] ?? "";
    return url.slice(0, url.lastIndexOf("/") + 1);
  }

  /** A view; undefined when the pack has none of that path. */
  async view(path: string): Promise<Unit | undefined> {
    return this.layout.views?.includes(path) ? this.unit(path, -1) : undefined;
  }

  private unit(path: string, section: number): Promise<Unit> {
    let unit = this.units.get(path);
    if (!unit) {
      const marked = this.layout.marked?.[path];
      unit = (marked === undefined ? this.files.text(this.at, path) : this.files.textOf(this.at, marked)).then((text) => ({ path, text, section }));
      this.units.set(path, unit);
      unit.catch(() => this.units.delete(path));
    }
    return unit;
  }
}
