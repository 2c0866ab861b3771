// The fenced context that `packgen resolve` prints, made in the browser of the packs of
// the site: the same packs, the same sections, the same bytes.

import type { Files } from "../search/files";
import type { Choice } from "../search/root";
import { Words } from "../search/words";
import { activate, isPersona, type Card } from "./catalog";
import { wrap } from "./fence";
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
    const found = only === undefined ? activate(this.cards, asked, this.words) : { cards: this.cards.filter((card) => card.name === only), blocked: false };
    const open = found.blocked ? [] : found.cards;
    const { rules } = this.files.root;
    const pickers: Picker[] = [];
    let partial = false;
    for (const card of [...open.filter(isPersona), ...open.filter((card) => !isPersona(card))]) {
      const opened = await this.open(card.name);
      const pack = more && opened ? await opened.asking(this.files, more) : opened;
      partial ||= !pack?.whole;
      if (pack) pickers.push(await Picker.choose(card, pack, asked, rules, this.words));
    }
    const about = new Set(found.cards.flatMap((card) => [card.name, card.description]).flatMap((text) => this.words.all(text, true)).map(({ word }) => word));
    const personas = pickers.filter(({ card }) => isPersona(card)).length;
    const next = shares(budget, personas, pickers.length - personas);
    const packs: { card: Card; taken: Taken[] }[] = [];
    let tokens = 0;
    let used = 0;
    let sure = false;
    for (const picker of pickers) {
      const taken = picker.fit(next(used));
      used = taken.reduce((sum, file) => sum + file.tokens, 0);
      tokens += used;
      if (!isPersona(picker.card)) sure ||= isSure(picker.judge(taken, about), rules.choice);
      packs.push({ card: picker.card, taken });
    }
    sure ||= personas > 0 && pickers.length === personas;
    const wrappers = packs.map(({ card, taken }) =>
      wrap(
        {
          name: card.name, status: card.status, grounding: card.grounding ?? "", mode: isPersona(card) ? "persona" : "data",
          files: taken.map(({ pick, text }) => ({ path: pick.path, text })),
        },
        sure,
      ),
    );
    return { context: wrappers.filter((text) => text !== "").join("\n\n"), packs, tokens, sure, blocked: found.blocked && found.cards.length > 0, partial };
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
  if (j.score < choice.sure) return j.score >= choice.least && j.rare.length === 0;
  return true;
}
