// Words and stems of a text, by the same rules as the scorer of the program; its
// tables come with the index.

import type { Rules } from "./root";

const LETTER = /[\p{L}\p{M}\p{Nd}]/u;
// Written without spaces between words, or with endings; of the first there are many.
const SYLLABLE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}]/u;
const PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const CYRILLIC = /^[\u0400-\u047f]+$/;

/** Whether a stem is a pair of syllables; one that no section holds is more often than not no word. */
export function isPair(stem: string): boolean {
  return SYLLABLE.test(stem);
}

/** Whether a stem is a pair of letters of a script with few of them: a part of a word. */
export function isPart(stem: string): boolean {
  return PAIRED.test(stem) && !SYLLABLE.test(stem);
}

/** Whether a stem is that of a compound of words that say nothing alone. */
export function isCompound(stem: string): boolean {
  return stem.includes("-");
}

const RUN = 64; // the longest compound

/** A word with its place in the text. */
export interface Word {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Cuts texts into words. */
export class Words {
  private readonly stop: Set<string>;
  private readonly weak: Set<string>;

  constructor(private readonly rules: Rules) {
    this.stop = new Set(rules.stop);
    this.weak = new Set(rules.weak);
  }

  /** The compounds in ASCII of a text whose parts say nothing of a topic alone, such as "to-do". */
  compounds(text: string): string[] {
    const list: string[] = [];
    // A character of another script is of a word, as in the bytes that the program reads.
    for (const [run] of text.matchAll(/[a-z0-9\u0080-\u{10ffff}-]+/giu)) {
      if (!/^[a-z0-9-]+$/i.test(run) || !run.includes("-") || run.length > RUN) continue;
      const parts = run.toLowerCase().split("-");
      const clean = parts.map((part) => (this.stop.has(part) ? part : this.singular(part)));
      if (clean.every((part) => part !== "" && (this.stop.has(part) || this.weak.has(part)))) list.push([...parts.slice(0, -1), clean.at(-1)].join("-"));
    }
    return list;
  }

  private singular(word: string): string {
    return word.length >= this.rules.minPlural && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  /** The words of a text in order: lower case, stop words and plural endings dropped, runs of some scripts in pairs. */
  of(text: string): Word[] {
    const list: Word[] = [];
    let word = "";
    let chars = 0;
    let from = 0;
    let previous = ""; // last character of a run of pairs
    let run = 0;
    let at = 0;
    const end = (): void => {
      const w = this.clean(word, chars);
      if (w) list.push({ word: w, from, to: at });
      word = "";
      chars = 0;
    };
    const single = (): void => {
      if (run === 1) list.push({ word: previous, from: at - previous.length, to: at });
      run = 0;
    };
    for (const c of text) {
      if (!LETTER.test(c)) {
        end();
        single();
      } else if (PAIRED.test(c)) {
        end();
        if (run > 0) list.push({ word: previous + c, from: at - previous.length, to: at + c.length });
        previous = c;
        run++;
      } else {
        single();
        if (chars === 0) from = at;
        word += lower(c);
        chars++;
      }
      at += c.length;
    }
    single();
    end();
    return list;
  }

  /** A word without its plural ending; "" for one that is dropped. */
  private clean(word: string, chars: number): string {
    if (chars === 0 || this.stop.has(word)) return "";
    if (chars >= this.rules.minPlural && word.endsWith("s") && !word.endsWith("ss")) {
      word = word.slice(0, -1);
      chars--;
    }
    return chars >= this.rules.minWord ? word : "";
  }

  /** What the forms of a word have in common. */
  stem(word: string): string {
    if (CYRILLIC.test(word)) return this.cyrillic(word);
    if (!/^[a-z]+$/.test(word)) return word;
    for (const [ending, instead] of this.rules.endings) {
      if (!word.endsWith(ending)) continue;
      const stem = word.slice(0, word.length - ending.length);
      if (stem.length >= this.rules.minStem && /[aeiouy]/.test(stem)) return this.tail(stem + instead);
    }
    return this.tail(word);
  }

  private cyrillic(word: string): string {
    word = word.replaceAll("ё", "е");
    if (/с[яь]$/.test(word) && word.length - 2 >= this.rules.minCyr) word = word.slice(0, -2);
    for (let size = 4; size > 0; size--) {
      if (word.length - size >= this.rules.minCyr && this.rules.cyrillic.includes(` ${word.slice(-size)} `)) return word.slice(0, -size);
    }
    return word;
  }

  /**
   * The stems that a word may have once it is typed to its end: what is left of
   * "compilat" without an ending.
   */
  unfinished(word: string): string[] {
    const stems = new Set<string>();
    if (/^[a-z]+$/.test(word)) {
      for (const [ending, instead] of this.rules.endings) {
        for (let n = ending.length - 1; n > 0; n--) {
          const stem = word.slice(0, word.length - n);
          if (word.endsWith(ending.slice(0, n)) && stem.length >= this.rules.minStem && /[aeiouy]/.test(stem)) stems.add(this.tail(stem + instead));
        }
      }
    }
    if (CYRILLIC.test(word)) stems.add(this.stem(word));
    return [...stems];
  }

  private tail(stem: string): string {
    const { minStem } = this.rules;
    const last = stem.at(-1);
    if (stem.length > minStem && last === stem.at(-2) && !"aeiou".includes(last ?? "")) stem = stem.slice(0, -1);
    if (stem.length > minStem && stem.endsWith("s")) stem = stem.slice(0, -1);
    return stem;
  }
}

/** One character in lower case, as one character. */
function lower(c: string): string {
  const [first] = c.toLowerCase();
  return first ?? c;
}
