// What a query asks for: the stems of its words, and what may stand in for those that
// no section holds.

import type { Rules } from "./root";
import { Words } from "./words";

/** A stem that a query asks for, or that may stand in for another. */
export interface Term {
  readonly stem: string;
  readonly weight: number; // of words that are never the topic, less than 1
  readonly instead: StandIn[]; // terms that stand in for this one, the best first
  asked: boolean;
}

export interface StandIn {
  readonly term: number;
  readonly weight: number;
}

export class Query {
  readonly terms: Term[] = [];
  /** The word that is still being typed, when there is one. */
  readonly typed: { readonly word: string; readonly term: number } | undefined;
  private readonly byStem = new Map<string, number>();
  private readonly synonyms: Map<string, string[]>;
  private readonly weak: Set<string>;

  /** Typing says that the last word may continue. */
  constructor(
    text: string,
    private readonly rules: Rules,
    readonly words: Words,
    typing: boolean,
  ) {
    this.synonyms = synonymsOf(rules, words);
    this.weak = new Set(rules.weak);
    const seen = new Set<string>();
    for (const { word } of words.all(text, false)) {
      if (!seen.has(word)) this.ask(word);
      seen.add(word);
    }
    this.name(text);
    const last = words.of(text).at(-1);
    if (typing && last && last.to === text.length) {
      this.typed = { word: words.fold(text.slice(last.from, last.to)), term: this.term(last.word) };
    }
  }

  /** The stems that are asked for: what is marked in hits. */
  get stems(): Set<string> {
    return new Set(this.terms.filter((term) => term.asked).map((term) => term.stem));
  }

  /** The term of a word that is asked for. */
  termOf(word: string): number | undefined {
    return this.byStem.get(this.words.stem(word));
  }

  /** Asks for the headings of common words that the query names. They weigh little where it has words of its own. */
  private name(text: string): void {
    const weight = this.terms.some((term) => term.asked) ? this.rules.weakWeight : 1;
    for (const stem of this.words.named(text)) {
      if (this.byStem.has(stem)) continue;
      this.byStem.set(stem, this.terms.length);
      this.terms.push({ stem, weight, instead: [], asked: true });
    }
  }

  private ask(word: string): void {
    const term = this.terms[this.term(word)];
    if (!term || term.asked) return;
    term.asked = true;
    if (term.weight === 1 && term.instead.length === 0) term.instead.push(...this.standIns(word));
  }

  private term(word: string): number {
    const stem = this.words.stem(word);
    let n = this.byStem.get(stem);
    if (n === undefined) {
      n = this.terms.length;
      this.byStem.set(stem, n);
      this.terms.push({ stem, weight: this.weak.has(word) ? this.rules.weakWeight : 1, instead: [], asked: false });
    }
    return n;
  }

  /** The head of a compound, and words of like meaning. */
  private standIns(word: string): StandIn[] {
    const list: StandIn[] = [];
    const [least, most, head] = this.rules.compound;
    if (word.length >= least && word.length <= most && /^[a-z]+$/.test(word)) {
      for (let at = least - head; word.length - at >= head; at++) list.push({ term: this.term(word.slice(at)), weight: this.rules.head });
    }
    for (const other of this.words.otherForms(word)) list.push({ term: this.term(other), weight: this.rules.head });
    for (const other of this.synonyms.get(this.words.stem(word)) ?? []) list.push({ term: this.term(other), weight: this.rules.synonym });
    return list;
  }
}

function synonymsOf(rules: Rules, words: Words): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const group of rules.synonyms) {
    const list = group.split(" ");
    for (const word of list) {
      const stem = words.stem(word);
      table.set(stem, [...(table.get(stem) ?? []), ...list.filter((other) => other !== word)]);
    }
  }
  return table;
}
