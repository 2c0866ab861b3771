// Ranks the sections of one pack for a query, as the program does in
// resolver/context/rank: for the query as a whole, then for each of its parts.

import { isNumbered, newestFirst, type Versions } from "../search/newest";
import { Query } from "../search/query";
import type { Choice, Rules } from "../search/root";
import { isPair, isSigned, isUncalled, type Words } from "../search/words";

/** A term in a section: what the section earns of its weight, and whether a heading holds it. */
export interface Posting {
  readonly section: number;
  readonly share: number;
  readonly heading: boolean;
}

export interface Hit {
  readonly section: number;
  readonly score: number;
}

/** The sections that are ranked. */
export interface Pool {
  readonly sections: number;
  /** The first section of the page of each; -1 where that is not known. */
  readonly groups: ArrayLike<number>;
  /** Where there are several packs: the sections of each, and the stems of what is said of it. */
  readonly packs?: readonly About[];
}

/** Sections from one on, without to. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface About extends Range {
  readonly stems: ReadonlySet<string>;
}

interface Part {
  readonly text: string;
  readonly terms: number[];
}

/** What a section holds of the query as a whole. */
interface Holdings {
  readonly share: number;
  readonly inHeadings: number;
  readonly terms: boolean[];
}

/** What a selection lacks, and how far the best section meets the query. */
export interface Judgement {
  score: number;
  names: string[];
  rare: string[];
  open: boolean;
  reworded: boolean;
  overPacks: boolean;
}

const SPACE = "\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BETWEEN = new RegExp(`[${SPACE}"\`()[\\]{}<>,;:/]+`, "u");

/** What shares of a weight that fields earn come to. */
export function shareOf(rules: Rules, counts: number[], lengths: number[], totals: number[], sections: number): Omit<Posting, "section"> {
  let sum = 0;
  let heading = false;
  counts.forEach((n, field) => {
    if (n === 0) return;
    if (rules.headings.includes(field)) heading = true;
    const relative = ((lengths[field] ?? 0) * sections) / (totals[field] ?? 1);
    const b = rules.lengths[field] ?? 0;
    sum += ((rules.weights[field] ?? 0) * n) / (1 - b + b * relative);
  });
  const share = sum / (rules.saturation + sum);
  return { share: share + rules.heading * ((heading ? 1 : 0) - share), heading };
}

/** A ranking. Make one with rank. */
export class Ranking {
  private readonly earned: Float64Array[] = []; // by the words of the sections themselves
  private scores: Float64Array[] = []; // the same, raised by what is said of their packs
  private readonly held: Map<number, Posting>[];
  private readonly weights: number[];

  private constructor(
    private readonly text: string,
    private readonly query: Query,
    private readonly words: Words,
    private readonly rules: Rules,
    private readonly pool: Pool,
    private readonly parts: Part[],
    private readonly postings: Posting[][],
    private readonly versions: Versions,
  ) {
    this.held = postings.map((list) => new Map(list.map((p) => [p.section, p])));
    const has = (term: number): boolean => (postings[term]?.length ?? 0) > 0;
    this.weights = query.terms.map((term, t) => this.rarity(t) * term.weight * (isUncalled(term.stem, has(t), query.terms, has) ? 0 : this.isNoWord(t) ? rules.weakWeight : 1));
    this.weigh();
  }

  /** Ranks sections whose postings are to be loaded. */
  static async rank(text: string, rules: Rules, words: Words, pool: Pool & { readonly postings: (stem: string) => Promise<Posting[]>; readonly versions: () => Promise<Versions> }): Promise<Ranking> {
    const query = new Query(text, rules, words, false);
    const postings = await Promise.all(query.terms.map((term) => pool.postings(term.stem)));
    return new Ranking(text, query, words, rules, pool, partsOf(text, query, words, rules.choice), postings, await pool.versions());
  }

  /** Ranks sections whose postings are at hand. */
  static of(text: string, rules: Rules, words: Words, pool: Pool & { readonly postings: (stem: string) => Posting[]; readonly versions: Versions }): Ranking {
    const query = new Query(text, rules, words, false);
    const postings = query.terms.map((term) => pool.postings(term.stem));
    return new Ranking(text, query, words, rules, pool, partsOf(text, query, words, rules.choice), postings, pool.versions);
  }

  private get choice(): Choice {
    return this.rules.choice;
  }

  private rarity(term: number): number {
    const found = this.postings[term]?.length ?? 0;
    return Math.log(1 + (Math.max(this.pool.sections, this.rules.corpus) - found + 0.5) / (found + 0.5));
  }

  private isNoWord(term: number): boolean {
    const stem = this.query.terms[term]?.stem ?? "";
    return this.postings[term]?.length === 0 && (isPair(stem) || isSigned(stem));
  }

  private weight(term: number): number {
    return this.weights[term] ?? 0;
  }

  /** Computes the score of every section for every part. */
  private weigh(): void {
    const { terms } = this.query;
    const instead = new Map<number, { term: number; weight: number }[]>();
    terms.forEach((term, t) => {
      if ((this.postings[t]?.length ?? 0) > 0 || !term.asked) return;
      const first = term.instead.find((s) => (this.postings[s.term]?.length ?? 0) > 0);
      if (first) instead.set(first.term, [...(instead.get(first.term) ?? []), { term: t, weight: first.weight }]);
    });
    this.scores = this.earned;
    for (const part of this.parts) {
      const scores = new Float64Array(this.pool.sections);
      const inPart = new Set(part.terms);
      this.postings.forEach((list, t) => {
        for (const { section, share } of list) {
          if (inPart.has(t)) scores[section] = (scores[section] ?? 0) + this.weight(t) * share;
          for (const s of instead.get(t) ?? []) {
            if (inPart.has(s.term)) scores[section] = (scores[section] ?? 0) + Math.min(this.weight(s.term), this.rarity(t)) * s.weight * share;
          }
        }
      });
      const all = part.terms.reduce((sum, t) => sum + this.weight(t), 0);
      scores.forEach((sum, i) => {
        if (sum > 0) scores[i] = Math.round((sum / all) * 1e4) / 1e2;
      });
      this.lean(scores);
      this.earned.push(scores);
      this.preferNewest(scores, part);
    }
    this.raise();
  }

  /** Raises the sections of packs that are about what the query says. */
  private raise(): void {
    const terms = this.parts[0]?.terms ?? [];
    const all = terms.reduce((sum, t) => sum + this.weight(t), 0);
    const packs = this.pool.packs ?? [];
    if (packs.length === 0 || all === 0) return;
    this.scores = this.earned.map((earned) => {
      const scores = earned.slice();
      for (const { from, to, stems } of packs) {
        const held = terms.reduce((sum, t) => sum + (stems.has(this.query.terms[t]?.stem ?? "") ? this.weight(t) : 0), 0);
        const factor = 1 + this.rules.about * (held / all);
        for (let i = from; i < to; i++) scores[i] = Math.min(100, Math.round((scores[i] ?? 0) * factor * 100) / 100);
      }
      return scores;
    });
  }

  /** The section of a range that fits the query as a whole best. */
  bestOf({ from, to }: Range): Hit {
    let best: Hit = { section: 0, score: 0 };
    for (let section = from; section < to; section++) {
      const score = this.scoreOf(section);
      if (score > best.score) best = { section, score };
    }
    return best;
  }

  /** The newest of equal sections is first. A query that names a version asks for that one. */
  private preferNewest(scores: Float64Array, part: Part): void {
    if (this.versions.size < 2 || this.query.terms.some((term) => term.asked && isNumbered(term.stem))) return;
    const hits = this.hits(this.scores.length - 1, () => true, 0);
    const held = (section: number): string => part.terms.map((t) => Number(this.held[t]?.has(section) ?? false)).join("");
    for (const [section, score] of newestFirst(hits, this.versions, (i) => this.pool.groups[i] ?? -1, held)) scores[section] = score;
  }

  /** A section that meets part of a query gains from the best one of its page. */
  private lean(scores: Float64Array): void {
    const best = new Map<number, number>();
    const group = (i: number): number => this.pool.groups[i] ?? -1;
    scores.forEach((score, i) => {
      if (score > 0 && group(i) >= 0) best.set(group(i), Math.max(best.get(group(i)) ?? 0, score));
    });
    scores.forEach((score, i) => {
      if (score > 0) scores[i] = Math.round((score + this.rules.neighbour * ((best.get(group(i)) ?? 0) - score)) * 100) / 100;
    });
  }

  /** The sections that come near the best one: for the whole, then the best of each part. */
  ranked(keep: (section: number) => boolean): Hit[] {
    const parts = this.parts.slice(1).map((_, i) => this.ofPart(i + 1, keep));
    const best = new Map<number, number>();
    for (const hits of [this.ofWhole(keep, this.mostOfWhole(parts)), ...parts]) {
      for (const hit of hits) best.set(hit.section, Math.max(best.get(hit.section) ?? 0, hit.score));
    }
    return sorted([...best].map(([section, score]) => ({ section, score })));
  }

  /** The sections that a wording as a whole finds, down to a share of its best score. */
  nearBest(keep: (section: number) => boolean): Hit[] {
    return this.hits(0, keep, this.choice.wordingNear * this.best(0, keep));
  }

  /** The score of a section for the query as a whole. */
  scoreOf(section: number): number {
    return this.scores[0]?.[section] ?? 0;
  }

  private mostOfWhole(parts: Hit[][]): number {
    const seen = new Set<number>();
    for (const [first] of parts) {
      if (!first || first.score < this.choice.clearScore || seen.has(first.section)) return this.choice.most;
      seen.add(first.section);
    }
    return parts.length === 0 ? this.choice.most : 1;
  }

  private ofPart(part: number, keep: (section: number) => boolean): Hit[] {
    const best = this.best(part, keep);
    if (best < this.choice.nothingScore) return [];
    return this.hits(part, keep, best * this.near(best)).slice(0, this.choice.mostForPart);
  }

  private ofWhole(keep: (section: number) => boolean, most: number): Hit[] {
    const { newStop, newShare, heldShare, headingLack } = this.choice;
    const best = this.best(0, keep);
    const near = best * this.near(best);
    const hits = this.hits(0, keep, Math.min(near, best * newStop));
    const [top] = hits;
    if (!top) return [];
    most = this.mostAt(best, most);
    const list = [top];
    const first = this.holdings(top.section);
    const covered = [...first.terms];
    for (const hit of hits.slice(1)) {
      if (list.length >= most) break;
      const next = this.holdings(hit.section);
      const alike = hit.score >= near && next.share >= heldShare * first.share && next.inHeadings >= first.inHeadings - headingLack;
      if (!alike && (hit.score < best * newStop || this.added(covered, next.terms) < newShare)) continue;
      list.push(hit);
      next.terms.forEach((holds, i) => (covered[i] ||= holds));
    }
    return list;
  }

  private mostAt(best: number, most: number): number {
    if (best < this.choice.nothingScore) return Math.min(most, 1);
    return best < this.choice.guessScore ? Math.min(most, this.choice.guessMost) : most;
  }

  private best(part: number, keep: (section: number) => boolean): number {
    let best = 0;
    this.scores[part]?.forEach((score, i) => {
      if (score > best && keep(i)) best = score;
    });
    return best;
  }

  private near(best: number): number {
    return best >= this.choice.clearScore ? Math.max(this.choice.stop, this.choice.clearStop) : this.choice.stop;
  }

  private holdings(section: number): Holdings {
    const terms = this.parts[0]?.terms ?? [];
    let [all, share, inHeadings] = [0, 0, 0];
    const holds = terms.map((t) => {
      all += this.weight(t);
      const posting = this.held[t]?.get(section);
      if (!posting) return false;
      share += this.weight(t);
      if (posting.heading) inHeadings += this.weight(t);
      return true;
    });
    return { share: share / all, inHeadings: inHeadings / all, terms: holds };
  }

  private added(covered: boolean[], terms: boolean[]): number {
    let [all, added] = [0, 0];
    this.parts[0]?.terms.forEach((t, i) => {
      all += this.weight(t);
      if (terms[i] && !covered[i]) added += this.weight(t);
    });
    return added / all;
  }

  private hits(part: number, keep: (section: number) => boolean, least: number): Hit[] {
    const hits: Hit[] = [];
    this.scores[part]?.forEach((score, section) => {
      if (score > 0 && score >= least && keep(section)) hits.push({ section, score });
    });
    return sorted(hits);
  }

  /** Whether a section of a range that is not kept fits better than all of it that are. */
  elsewhere({ from, to }: Range, keep: (section: number) => boolean): boolean {
    let [inside, outside] = [0, 0];
    for (let i = from; i < to; i++) {
      const score = this.scoreOf(i);
      if (score > 0 && keep(i)) inside = Math.max(inside, score);
      else if (score > 0) outside = Math.max(outside, score);
    }
    return outside > inside;
  }

  /** Looks for the words of the query in the selected sections. */
  judge(selected: number[], keep: (section: number) => boolean): Judgement {
    const j: Judgement = { score: 0, names: [], rare: [], open: false, reworded: false, overPacks: (this.pool.packs ?? []).length > 1 };
    if (this.query.terms.length === 0) return j;
    j.score = this.met(0, keep);
    const rare = Math.max(1, Math.floor(this.choice.rare * this.pool.sections));
    const seen = new Set<number>();
    let first = true;
    for (const word of this.text.split(BETWEEN)) {
      if (word === "") continue;
      const name = isName(word, first);
      first = /[.?!]$/.test(word);
      for (const { word: part } of this.words.all(word, false)) {
        const t = this.query.termOf(part);
        if (t === undefined || !this.query.terms[t]?.asked || seen.has(t) || (this.query.terms[t]?.weight ?? 0) < 1 || this.isNoWord(t)) continue;
        if (this.words.isPart(this.query.terms[t]?.stem ?? "")) continue;
        if (selected.some((section) => this.held[t]?.has(section))) continue;
        seen.add(t);
        const trimmed = word.replace(/^[.?!'*_]+|[.?!'*_]+$/g, "");
        if (name) once(j.names, trimmed);
        else if ((this.postings[t]?.length ?? 0) <= rare) once(j.rare, trimmed);
      }
    }
    const several = this.parts.length > 1;
    j.open = several && this.parts.some((_, i) => i > 0 && this.met(i, keep) < this.choice.least);
    return j;
  }

  /** How far the best section meets a part, from 0 to 100. */
  private met(part: number, keep: (section: number) => boolean): number {
    let best = -1;
    const scores = this.scores[part] ?? new Float64Array();
    scores.forEach((score, i) => {
      if (score > 0 && (best < 0 || score > (scores[best] ?? 0)) && keep(i)) best = i;
    });
    if (best < 0) return 0;
    let [all, some] = [0, 0];
    for (const t of this.parts[part]?.terms ?? []) {
      all += this.weight(t);
      if (this.held[t]?.has(best)) some += this.weight(t);
    }
    return Math.round(((this.earned[part]?.[best] ?? 0) + 100 * (some / all)) * 50) / 100;
  }
}

function sorted(hits: Hit[]): Hit[] {
  return hits.sort((a, b) => b.score - a.score || a.section - b.section);
}

function once(list: string[], word: string): void {
  if (!list.includes(word)) list.push(word);
}

/** A digit, a sign as "C++" has, a capital inside, or one where no sentence starts. */
function isName(word: string, first: boolean): boolean {
  return [...word].some((c, i) => /\p{Nd}/u.test(c) || (i > 0 && "#+".includes(c)) || (/\p{Lu}/u.test(c) && (i > 0 || !first)));
}

/** The query as a whole, and its parts where it has several that can be questions. */
function partsOf(text: string, query: Query, words: Words, choice: Choice): Part[] {
  const termsOf = (part: string): number[] =>
    [...new Set(words.all(part, false).map(({ word }) => query.termOf(word)))].filter((t) => t !== undefined);
  const strong = (terms: number[]): number => terms.filter((t) => query.terms[t]?.weight === 1).length;
  const parts = cutParts(text, choice.maxParts)
    .map((part) => ({ text: part, terms: termsOf(part) }))
    .filter((part) => strong(part.terms) >= choice.minPartWords);
  const named = words.named(text).map((stem) => query.termOf(stem)).filter((t) => t !== undefined);
  return [{ text, terms: [...termsOf(text), ...new Set(named)] }, ...(parts.length > 1 ? parts.slice(0, choice.maxParts) : [])];
}

const SPACES = new RegExp(`[${SPACE}]`, "u");

/** Cuts a question at "and", commas and the ends of sentences. */
function cutParts(query: string, most: number): string[] {
  const parts: string[] = [];
  let from = 0;
  const cut = (at: number, next: number): void => {
    const part = query.slice(from, at).trim();
    if (part !== "") parts.push(part);
    from = next;
  };
  for (let i = 0; i < query.length && parts.length <= most; i++) {
    const c = query[i] ?? "";
    const rest = query.slice(i + 1, i + 6);
    if (",;?!，、；。？！\n".includes(c) || (c === "." && (rest === "" || rest.startsWith(" ")))) cut(i, i + 1);
    else if (SPACES.test(c) && rest.length > 4 && /^and /i.test(rest)) cut(i, i + 4);
  }
  cut(query.length, query.length);
  return parts;
}
