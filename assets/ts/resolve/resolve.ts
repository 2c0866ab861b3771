// The fenced context that `packgen resolve` prints, made in the browser of the packs of
// the site: the same packs, the same sections, the same bytes.

import type { Files } from "../search/files";
import type { Choice } from "../search/root";
import { Words } from "../search/words";
import { fitting, gate, isPersona, type Card } from "./catalog";
import { wrap } from "./fence";
import { Field, type Member } from "./field";
import { Pack } from "./pack";
import { Picker, type Taken } from "./picker";
import type { Judgement } from "./ranking";

/** What a task gives. */
export interface Resolution {
  readonly context: string;
  readonly packs: { readonly card: Card; readonly taken: Taken[] }[];
  readonly tokens: number;
  readonly sure: boolean;
  /** The packs that fit may not be used, by their status. */
  readonly blocked: boolean;
  /** Splits of a pack are not on the site: the command may select others. */
  readonly partial: boolean;
}

/** Resolves tasks over the packs of a site. */
export class Resolver {
  private readonly words: Words;
  private readonly packs = new Map<string, Promise<Pack | undefined>>();

  constructor(
    private readonly files: Files,
    private readonly cards: Card[],
  ) {
    this.words = new Words(files.root.rules);
  }

  /**
   * The selection for a task and its other wordings. Only is the one pack to be used, and more
   * the questions that its sections answer besides their own.
   */
  async resolve(texts: string[], budget: number, only?: string, more?: Map<number, string[]>): Promise<Resolution> {
    const asked = texts.filter((text, i) => i === 0 || (this.words.all(text, false).length > 0 && texts.indexOf(text) === i));
    const { rules } = this.files.root;
    const rated = only === undefined ? gate(this.cards, asked, this.words) : { usable: this.cards.filter((card) => card.name === only).map((card) => ({ card, score: 0 })), blocked: [] };
    const members: Member[] = [];
    let partial = false;
    for (const { card, score } of rated.usable) {
      const opened = await this.open(card.name);
      const pack = more && opened ? await opened.asking(this.files, more) : opened;
      partial ||= !pack?.whole;
      if (pack) members.push({ card, pack, score });
    }
    const field = await Field.of(members, asked, rules, this.words);
    const alone = this.cards.length === 1;
    const winners = only === undefined ? field.winners() : members.map((_, i) => i);
    const chosen = winners.length > 0 ? winners : fitting(members, alone).map((member) => members.indexOf(member));
    const refused = chosen.length > 0 ? [] : fitting(rated.blocked, alone);
    const pickers: Picker[] = [];
    const persona = (i: number): boolean => isPersona(members[i]?.card);
    for (const i of [...chosen.filter(persona), ...chosen.filter((i) => !persona(i))]) {
      const [member, at] = [members[i], field.ranges[i]];
      if (member && at) pickers.push(await Picker.choose(member.card, member.pack, asked, field, at, rules, this.words));
    }
    const about = new Set(pickers.flatMap(({ card }) => [card.name, card.description]).flatMap((text) => this.words.of(text)).map(({ word }) => word));
    const personas = pickers.filter(({ card }) => isPersona(card)).length;
    const next = shares(budget, personas, pickers.length - personas);
    const packs: { card: Card; taken: Taken[] }[] = [];
    let tokens = 0;
    let used = 0;
    for (const picker of pickers) {
      const taken = picker.fit(next(used));
      used = taken.reduce((sum, file) => sum + file.tokens, 0);
      tokens += used;
      packs.push({ card: picker.card, taken });
    }
    const judge = (voice: boolean): Judgement => {
      const peers = pickers.filter(({ card }) => isPersona(card) === voice);
      const selected = pickers.flatMap((picker, i) => (isPersona(picker.card) === voice ? picker.selected(packs[i]?.taken ?? []) : []));
      return field.judge(selected, (section) => peers.some((picker) => picker.has(section)), about);
    };
    let sure = pickers.length > personas && isSure(judge(false), rules.choice);
    if (personas > 0 && pickers.length === personas) {
      const j = judge(true);
      const named = only !== undefined || pickers.some(({ card }) => this.words.of(card.name).every(({ word }) => this.says(asked, word)));
      sure = named || j.names.length + j.rare.length === 0 || isSure(j, rules.choice);
    }
    const wrappers = packs.map(({ card, taken }) =>
      wrap(
        {
          name: card.name, status: card.status, grounding: card.grounding ?? "", mode: isPersona(card) ? "persona" : "data",
          files: taken.map(({ pick, text }) => ({ path: pick.path, text })),
        },
        sure,
      ),
    );
    return { context: wrappers.filter((text) => text !== "").join("\n\n"), packs, tokens, sure, blocked: refused.length > 0, partial };
  }

  /** Whether a wording holds a word. */
  private says(asked: string[], word: string): boolean {
    return asked.some((text) => this.words.of(text).some((w) => w.word === word));
  }

  private open(name: string): Promise<Pack | undefined> {
    let pack = this.packs.get(name);
    if (!pack) {
      pack = Pack.open(this.files, this.files.root.packs.findIndex((p) => p.name === name));
      this.packs.set(name, pack);
      pack.catch(() => this.packs.delete(name));
    }
    return pack;
  }
}

/**
 * Deals a budget out: half for each group where personas and data packs are both used, equal
 * parts inside a group. The returned function gives the next share; it takes what the last one cost.
 */
function shares(budget: number, personas: number, data: number): (used: number) => number {
  let left = budget;
  const reserve = personas > 0 && data > 0 ? budget - Math.floor(budget / 2) : 0;
  return (used) => {
    left -= used;
    if (personas > 0) return Math.trunc((left - reserve) / personas--);
    return Math.trunc(left / data--);
  };
}

function isSure(j: Judgement, choice: Choice): boolean {
  if (j.names.length > 0 || j.open) return false;
  if (j.reworded) return j.score >= choice.reworded;
  const [sure, least] = j.overPacks ? [choice.sureOverPacks, choice.leastOverPacks] : [choice.sure, choice.least];
  return j.score >= sure || (j.score >= least && j.rare.length === 0);
}
