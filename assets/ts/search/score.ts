// Scores sections for a query, as the program does: BM25 over the fields of a section,
// in percent of the query's weight, and a little of the best section of the same page.

import type { Entry, Files } from "./files";
import { addVersion, isNumbered, newestFirst, type Versions } from "./newest";
import { Query } from "./query";
import type { Root } from "./root";
import { Words, isPair, isSigned, isUncalled } from "./words";

/** A section that fits. */
export interface Hit {
  readonly section: number; // of the site
  readonly pack: number;
  readonly place: number; // in the pack
  readonly page: number; // the first section of its page
  readonly score: number;
  readonly kind: string;
  readonly status: string;
}

/** What hits must be; undefined is anything. */
export interface Filter {
  readonly pack?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
}

/** What a query finds. */
export interface Found {
  readonly hits: Hit[]; // best first
  readonly stems: Set<string>; // to be marked
  readonly sections: number; // when not all of them were looked at, at least that many hold a word; otherwise 0
}

const EXPANSIONS = 16; // words that one unfinished word may become
const FEW = 64; // sections of which is known where they are, when not all are looked at
const TYPED = 0.6; // what they count beside the word itself
const POOR = 50; // score up to which no section holds enough of a query
const FEW_WORDS = /^\s*[a-z0-9]+(\s+[a-z0-9]+){1,2}\s*$/i; // that may be written as one

export class Search {
  private readonly words: Words;
  private readonly starts: number[] = []; // of the packs
  private readonly runStarts: number[] = [];
  private versions: Promise<Versions> | undefined;

  constructor(private readonly files: Files) {
    const { root } = files;
    this.words = new Words(root.rules);
    let at = 0;
    for (const pack of root.packs) {
      this.starts.push(at);
      at += pack.sections;
    }
    at = 0;
    for (const run of root.runs ?? []) {
      this.runStarts.push(at);
      at += run.sections;
    }
  }

  /**
   * Looks for a query, the last word of which may continue. Unless all sections are
   * asked for, of words that very many hold only those are looked at in which they weigh
   * most. Words of which no section holds enough are also looked for as one: SkipLink is
   * asked for as "skip link".
   */
  async find(text: string, filter: Filter, all: boolean): Promise<Found> {
    const found = await this.findWords(text, filter, all);
    if ((found.hits[0]?.score ?? 0) > POOR || !FEW_WORDS.test(text)) return found;
    return better(found, await this.findWords(text.replace(/\s/g, ""), filter, all));
  }

  private async findWords(text: string, filter: Filter, all: boolean): Promise<Found> {
    const { root } = this.files;
    const query = new Query(text, root.rules, this.words, true);
    const sums = new Sums(root, this.starts);
    const entries = await Promise.all(query.terms.map((term) => (term.asked ? this.files.word(term.stem) : undefined)));
    const stems = query.stems;
    const unfinished = query.typed ? await this.unfinished(query, entries) : [];
    if (all || filter.pack || filter.kind || filter.status) await Promise.all([...entries, ...unfinished].map((entry) => entry && this.files.whole(entry)));
    const replaces = await this.standIns(query, entries, unfinished.length > 0 ? query.typed?.term : undefined);
    const weights = query.terms.map((term, t) => {
      const held = entries[t]?.sections ?? 0;
      if (isUncalled(term.stem, held > 0, query.terms, (other) => (entries[other]?.sections ?? 0) > 0)) return 0;
      return sums.rarity(held) * term.weight * (held === 0 && (isPair(term.stem) || isSigned(term.stem)) ? root.rules.weakWeight : 1);
    });
    if (query.typed && unfinished.length > 0 && !entries[query.typed.term]) {
      const sections = unfinished.reduce((sum, entry) => sum + entry.sections, 0);
      weights[query.typed.term] = sums.rarity(Math.min(sections, root.sections)) * (query.terms[query.typed.term]?.weight ?? 1);
    }
    query.terms.forEach((term, t) => {
      const entry = entries[t];
      if (entry) sums.add(entry, term.asked ? (weights[t] ?? 0) : 0, replaces.get(t)?.map((s) => Math.min(weights[s.term] ?? 0, sums.rarity(entry.sections)) * s.weight));
      if (entry) stems.add(entry.stem);
      if (t === query.typed?.term) {
        const factor = entry ? TYPED : 1;
        sums.addBest(unfinished, (other) => Math.min(weights[t] ?? 0, sums.rarity(other.sections)) * factor, entry);
        for (const other of unfinished) stems.add(other.stem);
      }
    });
    const weight = weights.reduce((sum, w, t) => (query.terms[t]?.asked ? sum + w : sum), 0);
    const sections = Math.max(0, ...[...entries, ...unfinished].map((entry) => (entry?.rest ? entry.sections : 0)));
    const asked = query.terms.flatMap((term, t) => (term.asked ? [entries[t]] : []));
    const named = query.terms.some((term) => term.asked && isNumbered(term.stem));
    return { hits: await this.hits(sums, weight, filter, sections > 0, named ? [] : asked), stems, sections };
  }

  /** The versions of the sections of the site. */
  private async newest(): Promise<Versions> {
    this.versions ??= this.files.versions().then((list) => {
      const versions: Versions = new Map();
      for (const { version, pack, sections } of list) for (const section of sections) addVersion(versions, (this.starts[pack] ?? 0) + section, version);
      return versions;
    });
    this.versions.catch(() => (this.versions = undefined));
    return this.versions;
  }

  /** The words of the index that an unfinished word may become, commonest first. */
  private async unfinished(query: Query, entries: (Entry | undefined)[]): Promise<Entry[]> {
    const typed = query.typed;
    if (!typed || [...typed.word].length < 2) return [];
    const exact = entries[typed.term];
    const found = new Map<string, Entry>();
    for (const [stem, entry] of await this.files.near(typed.word)) if (stem.startsWith(typed.word)) found.set(stem, entry);
    for (const stem of this.words.unfinished(typed.word)) {
      const entry = await this.files.word(stem);
      if (entry && !found.has(stem)) found.set(stem, entry);
    }
    if (exact) found.delete(exact.stem);
    return [...found.values()].sort((a, b) => b.sections - a.sections).slice(0, EXPANSIONS);
  }

  /** For each term of the index, the missing terms that it takes the place of. */
  private async standIns(query: Query, entries: (Entry | undefined)[], typed: number | undefined): Promise<Map<number, { term: number; weight: number }[]>> {
    const list = new Map<number, { term: number; weight: number }[]>();
    for (const [t, term] of query.terms.entries()) {
      if (!term.asked || entries[t] || t === typed) continue;
      for (const other of term.instead) {
        const stem = query.terms[other.term]?.stem ?? "";
        const entry = (entries[other.term] ??= await this.files.word(stem));
        if (!entry) continue;
        list.set(other.term, [...(list.get(other.term) ?? []), { term: t, weight: other.weight }]);
        break;
      }
    }
    return list;
  }

  /**
   * Turns sums into the scores of sections, best first; only the best where few are asked for. Of sections that hold the
   * same of some words the newest is first.
   */
  private async hits(sums: Sums, all: number, filter: Filter, few: boolean, asked: (Entry | undefined)[]): Promise<Hit[]> {
    if (all === 0) return [];
    const { rules, kinds, statuses, packs } = this.files.root;
    let found = sums.found();
    // The best section of a page is among the best of all: scores are the same.
    if (few) found = found.sort((a, b) => sums.of(b) - sums.of(a) || a - b).slice(0, FEW);
    const places = await this.places(found);
    const scores = found.map((section) => Math.round((sums.of(section) / all) * 1e4) / 1e2);
    const best = new Map<number, number>();
    places.forEach(({ page }, i) => best.set(page, Math.max(best.get(page) ?? 0, scores[i] ?? 0)));
    const leaned = found.map((section, i) => {
      const raw = scores[i] ?? 0;
      const page = places[i]?.page ?? 0;
      return { section, page, score: raw <= 0 ? 0 : Math.round((raw + rules.neighbour * ((best.get(page) ?? raw) - raw)) * 100) / 100 };
    });
    const newest = asked.length > 0 ? await this.newest() : new Map<number, string>();
    const pages = new Map(leaned.map(({ section, page }) => [section, page]));
    const held = newest.size > 1 ? asked.map((entry) => (entry ? sums.holders(entry) : undefined)) : [];
    const ranked = leaned.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.section - b.section);
    const changed = newestFirst(ranked, newest, (section) => pages.get(section) ?? -1, (section) => held.map((set) => Number(set?.has(section) ?? false)).join(""));
    const hits: Hit[] = [];
    leaned.forEach(({ section, score: own }, i) => {
      const place = places[i];
      if (own <= 0 || !place) return;
      const pack = lastAtMost(this.starts, section);
      const status = statuses[place.flags >> 3] || (packs[pack]?.status ?? "");
      const kind = kinds[(place.flags >> 1) & 3] ?? "";
      if (filter.pack && packs[pack]?.name !== filter.pack) return;
      if ((filter.kind && kind !== filter.kind) || (filter.status && status !== filter.status)) return;
      const score = changed.get(section) ?? own;
      hits.push({ section, pack, place: section - (this.starts[pack] ?? 0), page: place.page, score, kind, status });
    });
    return hits.sort(byScore);
  }

  /** The flags and the page of each section. */
  private async places(sections: number[]): Promise<{ flags: number; page: number }[]> {
    const runs = new Set(sections.map((section) => lastAtMost(this.runStarts, section)));
    const flags = new Map<number, Uint8Array>();
    await Promise.all([...runs].map(async (run) => flags.set(run, await this.files.run(run))));
    return sections.map((section) => {
      const run = lastAtMost(this.runStarts, section);
      const bytes = flags.get(run) ?? new Uint8Array();
      const from = this.runStarts[run] ?? 0;
      let page = section - from;
      while (page > 0 && !((bytes[page] ?? 1) & 1)) page--;
      return { flags: bytes[section - from] ?? 0, page: page + from };
    });
  }
}

/** Adds up what the words of a query earn in each section. */
class Sums {
  private readonly sums: Float64Array;
  private readonly held: Uint8Array;

  constructor(
    private readonly root: Root,
    private readonly starts: number[],
  ) {
    this.sums = new Float64Array(root.sections);
    this.held = new Uint8Array(root.sections);
  }

  /** How rare a word is that so many sections hold. */
  rarity(sections: number): number {
    const corpus = Math.max(this.root.sections, this.root.rules.corpus);
    return Math.log(1 + (corpus - sections + 0.5) / (sections + 0.5));
  }

  /** Adds a word, and what it earns for others that it stands in for. */
  add(entry: Entry, weight: number, others: number[] | undefined): void {
    this.each(entry, (section, share) => {
      let sum = (this.sums[section] ?? 0) + weight * share;
      for (const other of others ?? []) sum += other * share;
      this.sums[section] = sum;
    });
  }

  /** Adds the best of several words to the sections that do not hold another. */
  addBest(entries: Entry[], weight: (entry: Entry) => number, beside: Entry | undefined): void {
    if (entries.length === 0) return;
    const best = new Map<number, number>();
    for (const entry of entries) {
      const w = weight(entry);
      this.each(entry, (section, share) => best.set(section, Math.max(best.get(section) ?? 0, w * share)));
    }
    if (beside) this.each(beside, (section) => best.delete(section));
    for (const [section, score] of best) this.sums[section] = (this.sums[section] ?? 0) + score;
  }

  /** The sections that hold a word, in order. */
  found(): number[] {
    const list: number[] = [];
    this.held.forEach((held, section) => {
      if (held) list.push(section);
    });
    return list;
  }

  /** The sections that hold a word. */
  holders(entry: Entry): Set<number> {
    const list = new Set<number>();
    this.each(entry, (section) => list.add(section));
    return list;
  }

  of(section: number): number {
    return this.sums[section] ?? 0;
  }

  /** Visits the sections that hold a word with the share of its weight that each earns. */
  private each(entry: Entry, visit: (section: number, share: number) => void): void {
    const { rules, totals, sections } = this.root;
    for (const { pack, postings, lengths } of entry.packs) {
      const from = this.starts[pack] ?? 0;
      const p = postings.again();
      const l = lengths.again();
      let at = -1;
      while (!p.done) {
        let sum = 0;
        let inHeadings = 0;
        const count = (field: number, n: number): void => {
          if (rules.headings.includes(field)) inHeadings = 1;
          const relative = (l.number() * sections) / (totals[field] ?? 1);
          const b = rules.lengths[field] ?? 0;
          sum += ((rules.weights[field] ?? 0) * n) / (1 - b + b * relative);
        };
        const first = p.byte();
        if (first < 128) {
          at += (first >> 3) + 1;
          count(BODY, (first & 7) + 1);
        } else {
          at += p.number();
          for (let field = 0; field < 7; field++) if (first & (1 << field)) count(field, p.number());
        }
        const section = from + at;
        if (section >= this.held.length) throw new Error("a file of the index is damaged");
        this.held[section] = 1;
        const share = sum / (rules.saturation + sum);
        visit(section, share + rules.heading * (inHeadings - share));
      }
    }
  }
}

/** Of each section the better of two hits. */
function better(found: Found, other: Found): Found {
  const hits = new Map(other.hits.map((hit) => [hit.section, hit]));
  for (const hit of found.hits) if (hit.score >= (hits.get(hit.section)?.score ?? 0)) hits.set(hit.section, hit);
  return { hits: [...hits.values()].sort(byScore), stems: new Set([...found.stems, ...other.stems]), sections: Math.max(found.sections, other.sections) };
}

function byScore(a: Hit, b: Hit): number {
  return b.score - a.score || a.section - b.section;
}

const BODY = 2; // the field of short postings

/** The place of the last number that is not greater. */
function lastAtMost(list: number[], n: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) <= n) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}
