// Packs whose sections are ranked together, as the program does in
// resolver/context/compete.go.

import { addVersion, type Versions } from "../search/newest";
import type { Rules } from "../search/root";
import type { Words } from "../search/words";
import { isPersona, severity, yields, type Card } from "./catalog";
import type { Pack } from "./pack";
import { Ranking, type Hit, type Judgement, type Posting, type Range } from "./ranking";

const MOST = 3; // packs
const PACK_NEAR = 0.65; // of the best score, from which on the best section of a pack is taken beside it

/** A pack that takes part. */
export interface Member {
  readonly card: Card;
  readonly pack: Pack;
  readonly score: number; // how well the catalog fits
}

/** A field. Make one with of. */
export class Field {
  private out = new Set<number>();

  private constructor(
    private readonly members: Member[],
    readonly ranges: Range[],
    readonly rankings: Ranking[],
    private readonly rules: Rules,
    private readonly words: Words,
  ) {}

  static async of(members: Member[], asked: string[], rules: Rules, words: Words): Promise<Field> {
    const ranges: Range[] = [];
    let sections = 0;
    for (const { pack } of members) {
      ranges.push({ from: sections, to: sections + pack.sections });
      sections += pack.sections;
    }
    const totals = rules.weights.map((_, field) => members.reduce((sum, { pack }) => sum + (pack.layout.totals[field] ?? 0), 0));
    const groups = members.flatMap(({ pack }, i) => [...pack.groups].map((group) => group + (ranges[i]?.from ?? 0)));
    const stems = (text: string): string[] => words.all(text, false).map(({ word }) => words.stem(word));
    const packs = members.length < 2 ? [] : members.map(({ card }, i) => ({ from: 0, to: 0, ...ranges[i], stems: new Set([card.name, card.description].flatMap(stems)) }));
    const postings = async (stem: string): Promise<Posting[]> => {
      const lists = await Promise.all(members.map(({ pack }) => pack.postings(stem, totals, sections)));
      return lists.flatMap((list, i) => list.map((posting) => ({ ...posting, section: posting.section + (ranges[i]?.from ?? 0) })));
    };
    const versions = async (): Promise<Versions> => {
      const all: Versions = new Map();
      for (const [i, { pack }] of members.entries()) for (const [section, version] of await pack.versions()) addVersion(all, section + (ranges[i]?.from ?? 0), version);
      return all;
    };
    const rankings = await Promise.all(asked.map((wording) => Ranking.rank(wording, rules, words, { sections, groups, packs, postings, versions })));
    return new Field(members, ranges, rankings, rules, words);
  }

  private packOf(section: number): number {
    return this.ranges.findIndex(({ to }) => section < to);
  }

  private readonly allowed = (section: number): boolean => this.out.size === 0 || !this.out.has(this.packOf(section));

  /** The sections for each wording, best first. One that other wordings find too rises. */
  wordings(keep: (section: number) => boolean = this.allowed): Hit[][] {
    const [only] = this.rankings;
    if (only && this.rankings.length === 1) return [only.ranked(keep)];
    const { wordingMost, wordingStop, wordingLeast, wordingAgree } = this.rules.choice;
    const lists = this.rankings.map((ranking) => ranking.nearBest(keep));
    const best = Math.max(0, ...lists.map((list) => list[0]?.score ?? 0));
    const mean = (section: number): number => this.rankings.reduce((sum, ranking) => sum + ranking.scoreOf(section), 0) / this.rankings.length;
    return lists.map((list) => {
      if ((list[0]?.score ?? 0) < best * wordingLeast) return [];
      const ranked = list
        .map((hit) => ({ hit, together: Math.round((hit.score + wordingAgree * mean(hit.section)) * 100) / 100 }))
        .sort((a, b) => b.together - a.together);
      const first = ranked[0]?.together ?? 0;
      const end = ranked.findIndex(({ together }, i) => i > 0 && (i >= wordingMost || together < wordingStop * first));
      return (end < 0 ? ranked : ranked.slice(0, end)).map(({ hit }) => hit);
    });
  }

  /** The section of a range that fits a wording best. */
  bestOf(range: Range): Hit {
    let best: Hit = { section: 0, score: 0 };
    for (const ranking of this.rankings) {
      const hit = ranking.bestOf(range);
      if (hit.score > best.score) best = hit;
    }
    return best;
  }

  /** The packs with the best sections, best first. */
  winners(): number[] {
    for (;;) {
      const order = this.order();
      const card = (i: number): Card | undefined => this.members[i]?.card;
      const dropped = order.filter((i, place) => {
        const own = card(i);
        return own !== undefined && (order.some((o) => yields(own, card(o))) || (isPersona(own) && order.slice(0, place).some((o) => isPersona(card(o)))));
      });
      if (dropped.length === 0) return this.withVoice(order.slice(0, MOST));
      this.out = new Set([...this.out, ...dropped]);
    }
  }

  /** Adds the persona that the catalog fits at least as well as any other pack. */
  private withVoice(winners: number[]): number[] {
    let [best, voice] = [0, -1];
    this.members.forEach(({ card, score }, i) => {
      best = Math.max(best, score);
      if (isPersona(card) && score > 0 && (voice < 0 || score > (this.members[voice]?.score ?? 0))) voice = i;
    });
    if (voice < 0 || winners.length === 0 || (this.members[voice]?.score ?? 0) < best || winners.some((i) => isPersona(this.members[i]?.card))) return winners;
    return [...winners, voice];
  }

  private order(): number[] {
    const best = new Map<number, number>();
    for (const { section, score } of this.wordings().flat()) best.set(this.packOf(section), Math.max(best.get(this.packOf(section)) ?? 0, score));
    const most = Math.max(0, ...best.values());
    this.ranges.forEach((range, i) => {
      const { score } = this.bestOf(range);
      if (!best.has(i) && score > 0 && score >= PACK_NEAR * most && this.allowed(range.from)) best.set(i, score);
    });
    const rank = (i: number): number => severity(this.members[i]?.card);
    return [...best.keys()].sort((a, b) => (best.get(b) ?? 0) - (best.get(a) ?? 0) || rank(a) - rank(b) || a - b);
  }

  /** How far sections answer the task, out of those that keep accepts; about holds words that need not be in them. */
  judge(selected: number[], keep: (section: number) => boolean, about: Set<string>): Judgement {
    const list = this.rankings.map((ranking) => ranking.judge(selected, keep));
    const [first = { score: 0, names: [], rare: [], open: false, reworded: false, overPacks: false }] = list;
    const unknown = (word: string): boolean => this.words.of(word).some(({ word: w }) => !about.has(w));
    const reworded = list.length > 1;
    const [one = 0, two = 0] = list.map((j) => j.score).sort((a, b) => b - a);
    const together = list.length > 2 && first.score < this.rules.choice.clearScore;
    return {
      score: together ? Math.round((one + two) * 50) / 100 : one,
      names: first.names.filter(unknown),
      rare: first.rare.filter(unknown),
      open: first.open && !reworded,
      reworded,
      overPacks: first.overPacks,
    };
  }
}
