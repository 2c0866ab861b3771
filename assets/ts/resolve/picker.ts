// Selects from one pack, as the program does in resolver/context/branches.go.

import type { Rules } from "../search/root";
import { addVersion, isNumbered, type Versions } from "../search/newest";
import type { Words } from "../search/words";
import { isPersona, type Card } from "./catalog";
import type { Pack, Place, Unit } from "./pack";
import { count, leavesOf, prose } from "./prose";
import type { Field } from "./field";
import { Ranking, shareOf, type Hit, type Range } from "./ranking";

/** A unit that was taken. */
export interface Pick extends Unit {
  readonly reason: string;
}

/** A file of a selection: a unit, or what of it fits the budget. */
export interface Taken {
  readonly pick: Pick;
  readonly text: string;
  readonly tokens: number;
}

const BRIEFING = "compiled/briefing.md";
const FACTS = "compiled/facts.md";
const BOUNDARIES = "compiled/boundaries.md";
const MATCH = "match:";
const CLASSES = ["voice", "values", "taboos", "boundaries", "usage"];
const SHARE = 8; // boundaries may take one in that many tokens
const TITLE = 0; // the field of titles
const LEAST = 60; // tokens that a part of a file must be worth

/** What a text costs. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

const every = (): boolean => true;

/** Selects from a pack. Make one with choose. */
export class Picker {
  readonly picks: Pick[] = [];
  private readonly query: Set<string>; // words of the task

  private constructor(
    readonly card: Card,
    readonly pack: Pack,
    private readonly asked: string[],
    private readonly field: Field,
    private readonly at: Range,
    private readonly rules: Rules,
    private readonly words: Words,
  ) {
    this.query = new Set(words.all(asked[0] ?? "", true).map(({ word }) => word));
  }

  /** Runs the branch of the pack's mode and profile. */
  static async choose(card: Card, pack: Pack, asked: string[], field: Field, at: Range, rules: Rules, words: Words): Promise<Picker> {
    const p = new Picker(card, pack, asked, field, at, rules, words);
    if (isPersona(card)) await p.persona();
    else if (card.profile === "hybrid") await p.hybrid();
    else if (card.profile === "document-first") await p.documentFirst();
    else await p.wikiFirst();
    return p;
  }

  private take(unit: Unit | undefined, reason: string): void {
    if (unit && !this.picks.some((pick) => pick.path === unit.path)) this.picks.push({ ...unit, reason });
  }

  private async takeSection(section: number, reason: string): Promise<void> {
    if (!this.picks.some((pick) => pick.section === section)) this.take(await this.pack.section(section), reason);
  }

  /** Takes what ranks, among the sections of the pack that keep accepts where it is given: each wording alone, in turns. */
  private async takeRanked(keep?: (section: number) => boolean): Promise<boolean> {
    const lists = this.hits(keep);
    const most = Math.max(0, ...lists.map((list) => list.length));
    for (let turn = 0; turn < most; turn++) {
      for (const list of lists) {
        const hit = list[turn];
        if (hit) await this.takeSection(hit.section, MATCH);
      }
    }
    return most > 0;
  }

  /** The sections of the pack that each wording finds, among all that compete with them. */
  private hits(keep?: (section: number) => boolean): Hit[][] {
    const { from, to } = this.at;
    const inside = (section: number): boolean => section >= from && section < to;
    const all = this.field.wordings(keep ? (section) => inside(section) && keep(section - from) : undefined);
    const lists = all.map((hits) => hits.filter((hit) => inside(hit.section)).map(({ section, score }) => ({ section: section - from, score })));
    if (keep || lists.some((list) => list.length > 0)) return lists;
    const { section, score } = this.field.bestOf(this.at);
    return score > 0 ? [[{ section: section - from, score }]] : lists;
  }

  private async takeDefault(): Promise<void> {
    const unit = (await this.pack.view(BRIEFING)) ?? (await this.pack.view(FACTS)) ?? (this.pack.sections > 0 ? await this.pack.section(0) : undefined);
    this.take(unit, "default");
  }

  /** Takes boundaries: those that are declared, and those about what was taken. */
  private async takeBoundaries(guess: boolean): Promise<void> {
    const pages = new Set<number>();
    const folders = new Set<string>();
    for (const { section, reason } of this.picks) {
      if (section < 0 || (reason !== MATCH && reason !== "context-map")) continue;
      pages.add(this.pack.groups[section] ?? -1);
      folders.add(await this.pack.folder(section));
    }
    for (const { unit, declared, alone } of this.pack.layout.boundaries ?? []) {
      const near = guess && (pages.has(this.pack.groups[unit] ?? -1) || (alone === true && folders.has(await this.pack.folder(unit))));
      if (declared || near) await this.takeSection(unit, "boundary");
    }
  }

  private async documentFirst(): Promise<void> {
    if (!(await this.takeRanked())) await this.takeDefault();
    await this.takeBoundaries(true);
  }

  private async wikiFirst(): Promise<void> {
    let found = await this.takeRanked();
    const facts = found ? undefined : await this.pack.view(FACTS);
    if (facts && this.words.all(prose(facts.text), false).some(({ word }) => this.query.has(word))) {
      this.take(facts, "view");
      found = true;
    }
    if (!found) this.take(await this.pack.view(BRIEFING), "default");
    await this.takeBoundaries(false);
    this.take(await this.pack.view(BOUNDARIES), "boundary");
  }

  private async hybrid(): Promise<void> {
    const { place, mapped } = this.preferred();
    const splits = new Set(place.splits);
    const preferred = (section: number): boolean => splits.has(section);
    const elsewhere = this.field.rankings[0]?.elsewhere(this.at, (section) => preferred(section - this.at.from)) === true;
    let found = elsewhere && (await this.takeRanked());
    found = (await this.takeRanked(preferred)) || found;
    if (!found && mapped) {
      for (const section of place.splits ?? []) await this.takeSection(section, "context-map");
      for (const view of place.views ?? []) this.take(await this.pack.view(view), "context-map");
      found = this.picks.length > 0;
    }
    if (!found && !(await this.takeRanked())) await this.takeDefault();
    await this.takeBoundaries(true);
    this.take(await this.pack.view(BOUNDARIES), "boundary");
  }

  /** The entry of the context map that shares the most words with the task, otherwise the primary document. */
  private preferred(): { place: Place; mapped: boolean } {
    let most = 0;
    let best: Place | undefined;
    for (const entry of this.pack.layout.map ?? []) {
      const shared = [...new Set(entry.words ?? [])].filter((word) => this.query.has(word)).length;
      if (shared > most) [most, best] = [shared, entry];
    }
    return best ? { place: best, mapped: true } : { place: this.pack.layout.primary ?? {}, mapped: false };
  }

  private async persona(): Promise<void> {
    for (const name of CLASSES) for (const section of this.pack.layout.classes?.[name] ?? []) await this.takeSection(section, `persona:${name}`);
    await this.takeRanked();
  }

  /** What fits a number of tokens: whole files, boundaries reserved first. */
  fit(budget: number): Taken[] {
    const texts = this.picks.map(() => "");
    let left = budget;
    let reserve = Math.floor(budget / SHARE);
    this.picks.forEach(({ reason, text }, i) => {
      if (reason !== "boundary" || tokensOf(text) > reserve) return;
      texts[i] = text;
      reserve -= tokensOf(text);
      left -= tokensOf(text);
    });
    this.picks.forEach((pick, i) => {
      if (pick.reason === "boundary") return;
      texts[i] = tokensOf(pick.text) <= left ? pick.text : this.bestPart(pick.text, left);
      left -= tokensOf(texts[i] ?? "");
    });
    return this.picks.map((pick, i) => ({ pick, text: texts[i] ?? "", tokens: tokensOf(texts[i] ?? "") })).filter(({ pick, text }) => text.trim() !== "" || pick.text === text);
  }

  /** What fits of a text that does not: those of its leaf sections that fit the task best. */
  private bestPart(text: string, room: number): string {
    if (room < LEAST) return "";
    const leaves = leavesOf(text);
    const counted = leaves.map((leaf) => count(leaf.title, leaf.text, this.rules, this.words));
    const totals = this.rules.weights.map((_, field) => counted.reduce((sum, c) => sum + (c.lengths[field] ?? 0), 0));
    const versions: Versions = new Map();
    counted.forEach(({ counts }, leaf) => counts.forEach((list, stem) => isNumbered(stem) && (list[TITLE] ?? 0) > 0 && addVersion(versions, leaf, stem)));
    const ranking = Ranking.of(this.asked.join("\n"), this.rules, this.words, {
      sections: leaves.length,
      groups: leaves.map(() => -1),
      versions,
      postings: (stem) =>
        counted.flatMap(({ counts, lengths }, section) => {
          const list = counts.get(stem);
          return list ? [{ section, ...shareOf(this.rules, list, lengths, totals, leaves.length) }] : [];
        }),
    });
    const hits = ranking.ranked(every).map((hit) => hit.section);
    const order = hits.length > 0 ? hits : [0];
    const kept: number[] = [];
    let left = room;
    for (const i of order) {
      const tokens = tokensOf(leaves[i]?.text ?? "");
      if (tokens > left) continue;
      left -= tokens;
      kept.push(i);
    }
    if (kept.length === 0) return cutText(leaves[order[0] ?? 0]?.text ?? "", room);
    return kept
      .sort((a, b) => a - b)
      .map((i) => leaves[i]?.text ?? "")
      .join("");
  }

  /** The sections that were taken for the task, as the field numbers them. */
  selected(kept: Taken[]): number[] {
    return kept.filter(({ pick }) => pick.section >= 0 && pick.reason === MATCH).map(({ pick }) => pick.section + this.at.from);
  }

  has(section: number): boolean {
    return section >= this.at.from && section < this.at.to;
  }
}

/** The start of a text that a budget pays for, up to the last blank line in it. */
function cutText(text: string, budget: number): string {
  if (tokensOf(text) <= budget) return text;
  let end = budget * 4;
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end--;
  const lines = [...text.slice(0, end).matchAll(/\n/g)].map((m) => m.index + 1).filter((at) => /^[ \t]*\n/.test(text.slice(at)));
  const paragraph = text.slice(0, lines.at(-1) ?? 0);
  return paragraph.trim() !== "" ? paragraph : text.slice(0, end);
}
