// Words and stems of a text, by the same rules as the scorer of the program
// (resolver/context/rank); its tables come with the index.

import type { Rules } from "./root";

// Characters of scripts without spaces between words, or with endings, of which there are many.
const SYLLABLE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}]/u;

const CYRILLIC = /^[\u0400-\u047f]+$/;

/** The classes of characters. */
const [SEPARATOR, LETTER, DENSE, DROPPED] = [0, 1, 2, 3];

/** Begins the word that a heading of common words is as a whole. */
const COMMON = "=";

/** Whether a stem is a pair of syllables; one that no section holds is more often than not no word. */
export function isPair(stem: string): boolean {
  return SYLLABLE.test(stem);
}

/** Whether a stem is one of the words that a text mostly holds without their signs too. */
export function isSigned(stem: string): boolean {
  return stem.startsWith(".") || stem.includes("-") || (stem.length > 3 && /[/&]/.test(stem));
}

/** Whether a stem is a heading of common words as a whole. */
function isCommon(stem: string): boolean {
  return stem.startsWith(COMMON);
}

/** Whether a stem asks for nothing: a heading of common words that no section has, or a part of a longer one that the query names and a section has. */
export function isUncalled(stem: string, held: boolean, others: readonly { readonly stem: string }[], has: (term: number) => boolean): boolean {
  return isCommon(stem) && (!held || others.some((other, t) => isCommon(other.stem) && stem.length < other.stem.length && ` ${other.stem.slice(1)} `.includes(` ${stem.slice(1)} `) && has(t)));
}

const RUN = 64; // the longest run between blanks that is looked at
const NUMBERS = 6; // numbers of a version
const JOINED = 4; // words with a slash between them that are one
const HEADING = 8; // words of a heading of common words
const HEADING_BYTES = 128;
const NAMED = 256; // such headings that a query is taken to name

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
  private readonly folds = new Map<string, string>();
  private readonly classes: number[];

  constructor(private readonly rules: Rules) {
    this.stop = new Set(rules.stop);
    this.weak = new Set(rules.weak);
    this.classes = rules.classes;
    for (const [plain, letters] of Object.entries(rules.folds)) for (const letter of letters) this.folds.set(letter, plain);
  }

  /** The class of a character. */
  private classOf(c: string): number {
    if (c < "\u0080") return /[a-z0-9]/i.test(c) ? LETTER : SEPARATOR;
    const code = c.codePointAt(0) ?? 0;
    let [low, high] = [0, this.classes.length / 3];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.classes[3 * middle] ?? 0) + (this.classes[3 * middle + 1] ?? 0) < code) low = middle + 1;
      else high = middle;
    }
    return (this.classes[3 * low] ?? Infinity) <= code ? (this.classes[3 * low + 2] ?? LETTER) : LETTER;
  }

  /** A text without case and accents. */
  fold(text: string): string {
    let out = "";
    for (const c of text) if (this.classOf(c) !== DROPPED) out += this.folds.get(lower(c)) ?? lower(c);
    return out;
  }

  /** Whether a stem is a pair of letters of a script with few of them: a part of a word. */
  isPart(stem: string): boolean {
    return stem !== "" && stem >= "\u0080" && this.classOf(stem) === DENSE && !SYLLABLE.test(stem);
  }

  /** All words of a text, those with signs last. A text that is searched also holds what its versions are ones of. */
  all(text: string, searched: boolean): Word[] {
    return [...this.of(text), ...this.signs(text, searched)];
  }

  private singular(word: string): string {
    return word.length >= this.rules.minPlural && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  /** The words of a text in order: without case and accents, stop words and plural endings dropped, runs of some scripts in pairs. */
  of(text: string): Word[] {
    const list: Word[] = [];
    let word = "";
    let typed = true;
    let from = 0;
    let to = 0;
    let previous = ""; // the last character of a run of pairs
    let place = 0; // where it is
    let alone = false;
    let at = 0;
    const end = (): void => {
      const w = this.clean(word, typed);
      if (w) list.push({ word: w, from, to });
      word = "";
      typed = true;
    };
    const single = (): void => {
      if (alone) list.push({ word: previous, from: place, to: place + previous.length });
      alone = false;
      previous = "";
    };
    for (const c of text) {
      switch (this.classOf(c)) {
        case DROPPED:
          typed = false;
          if (word !== "") to = at + c.length;
          break;
        case DENSE:
          end();
          if (previous !== "") list.push({ word: previous + c, from: place, to: at + c.length });
          alone = previous === "";
          previous = c;
          place = at;
          break;
        case LETTER:
          single();
          if (word === "") from = at;
          word += this.folds.get(lower(c)) ?? lower(c);
          if (c >= "\u0080") typed = false;
          to = at + c.length;
          break;
        default:
          end();
          single();
      }
      at += c.length;
    }
    single();
    end();
    return list;
  }

  /** A word without its plural ending; "" for one that is dropped. */
  private clean(word: string, typed: boolean): string {
    if (word === "" || (typed && this.stop.has(word))) return "";
    let chars = [...word].length;
    if (chars >= this.rules.minPlural && word.endsWith("s") && !word.endsWith("ss")) {
      word = word.slice(0, -1);
      chars--;
    }
    return chars >= this.rules.minWord ? word : "";
  }

  /** The words that the runs of letters and digits leave out: single letters, those with signs, versions, compounds. */
  private signs(text: string, searched: boolean): Word[] {
    const list: Word[] = [];
    let run = "";
    let other = false;
    let from = 0;
    let at = 0;
    const end = (): void => {
      if (run !== "" && !other && run.length <= RUN) for (const word of this.inRun(run.toLowerCase(), searched)) list.push({ word, from, to: at });
      run = "";
      other = false;
    };
    for (const c of text) {
      const narrow = c >= "\uff01" && c <= "\uff5e" ? String.fromCharCode(c.charCodeAt(0) - 0xfee0) : c;
      const belongs = narrow < "\u0080" ? /[a-z0-9]/i.test(narrow) || this.rules.signs.includes(narrow) : narrow === "’" || [LETTER, DROPPED].includes(this.classOf(narrow));
      if (!belongs) end();
      else {
        if (run === "" && !other) from = at;
        if (narrow < "\u0080") run += narrow;
        else other = true;
      }
      at += c.length;
    }
    end();
    return list;
  }

  private *inRun(whole: string, searched: boolean): Generator<string> {
    const run = whole.replace(/^['_&/]+/, "").replace(/[.'_&/]+$/, "");
    if (run === "" || /[$%\\]/.test(run) || (/^[0-9]$/.test(run) && whole.endsWith("."))) return; // a number of a list, too
    const flag = /^--?[a-z][a-z0-9-]*$/.test(run) && !run.endsWith("-") && !run.slice(2).includes("--");
    const [pointed] = /^\.[a-z][a-z0-9]+(?=$|[-/])/.exec(run) ?? [];
    if (flag || pointed !== undefined) {
      yield flag ? run : (pointed ?? "");
      return;
    }
    const parts = run.split(/[/&@]/).filter((part) => part !== "");
    const joined = this.isJoined(run, parts);
    if (joined) yield run;
    for (const part of parts) {
      if (part.length > 1) yield* this.inPart(part, searched);
      else if (!joined && /[a-z0-9]/.test(part) && !this.stop.has(part)) yield part;
    }
  }

  /** Whether words with slashes between them are one, since one of them is not a word alone. */
  private isJoined(run: string, parts: string[]): boolean {
    if (parts.length < 2 || parts.length > JOINED || parts.join("/").length !== run.length || run.includes("@")) return false;
    return parts.every((part) => /^[a-z0-9]+$/.test(part)) && parts.some((part) => part.length < this.rules.minWord || this.stop.has(part));
  }

  private *inPart(part: string, searched: boolean): Generator<string> {
    if (/^[a-z]#$/.test(part)) yield part;
    const [plus] = /^[a-z][a-z0-9]*\+\+/.exec(part) ?? [];
    if (plus !== undefined) yield plus;
    if (part.indexOf(".") > 0) yield* this.versions(part, searched);
    if (!part.startsWith("-") && !part.includes("++")) for (const piece of part.split(/[-+]/)) if (/^[a-z]$/.test(piece) && !this.stop.has(piece)) yield piece;
    if (part.indexOf("-") > 0) {
      const parts = part.split("-");
      const clean = parts.map((p) => (this.stop.has(p) ? p : this.singular(p)));
      if (clean.every((p) => p !== "" && (this.stop.has(p) || this.weak.has(p)))) yield [...parts.slice(0, -1), clean.at(-1)].join("-");
    }
  }

  private *versions(run: string, searched: boolean): Generator<string> {
    const version = new RegExp(`(?<![0-9.])[0-9]+(?:\\.[0-9]+){1,${NUMBERS - 1}}`, "g");
    for (const found of run.matchAll(version)) {
      const [name] = /(?<![0-9a-z])[a-z]+$/.exec(run.slice(0, found.index)) ?? [];
      if (name !== undefined && name.length >= this.rules.minWord && !this.stop.has(name)) yield name;
      let base = `v${found[0]}`;
      const stage = this.stageOf(run.slice(found.index + found[0].length));
      if (stage !== "") yield `${base}~${stage}`;
      if (stage !== "" && !searched) continue;
      yield base;
      while (searched && base.includes(".")) {
        base = base.slice(0, base.lastIndexOf("."));
        yield base;
      }
    }
  }

  /** The stage of a version that a text begins with, as in "-rc.1" and "b2"; "" where there is none. */
  private stageOf(text: string): string {
    const [, name = "", digits = ""] = /^[-.]?([a-z]+)((?:[.-]?[0-9]+)?)/.exec(text) ?? [];
    if (name === "") return "";
    const { stages } = this.rules;
    const long = stages.includes(` ${name} `) ? name : /^[a-z]*/.exec(stages.split(` ${name}=`)[1] ?? "")?.[0];
    return long ? long + digits.replace(/^[.-]/, "") : "";
  }

  /** Other ways to write a word. */
  otherForms(word: string): string[] {
    if (/^v[0-9].*\./.test(word)) {
      const [base = "", stage] = word.split("~");
      const list = stage === undefined ? [] : [base];
      for (let short = base; short.split(".").length > 2; ) list.push((short = short.slice(0, short.lastIndexOf("."))));
      return list;
    }
    if (/^v[0-9]+$/.test(word)) return [word.slice(1)];
    if (/^[a-z]{3,}[0-9]+$/.test(word)) return [word.replace(/[0-9]+$/, "")];
    if (/^[a-z]{2}$/.test(word)) return [`${word[0]}/${word[1]}`];
    if (word.length === 3 && word[1] === "/") return [`${word[0]}${word[2]}`];
    const plain = word.replace(/(?<=[^aeiouq][aou])e/g, "");
    return plain === word ? [] : [plain];
  }

  /** A heading without a word that can be a topic as one word; "" for any other. */
  common(heading: string): string {
    if (new TextEncoder().encode(heading).length > HEADING_BYTES) return "";
    const words = runs(heading);
    return words.length > 0 && words.length <= HEADING && words.every((word) => this.stop.has(word) || this.weak.has(word)) ? COMMON + words.join(" ") : "";
  }

  /** The headings of common words that a query may name: the query itself, and the runs of stop words in it. */
  named(query: string): string[] {
    const list: string[] = [];
    const words = runs(query);
    for (let from = 0; from < words.length; from++) {
      for (let to = from; to < words.length && to < from + HEADING && this.stop.has(words[to] ?? "") && list.length < NAMED; to++) {
        list.push(COMMON + words.slice(from, to + 1).join(" "));
      }
    }
    const whole = this.common(query);
    return whole === "" || list.includes(whole) ? list : [...list, whole];
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

/** The runs of letters, digits and characters beyond ASCII of a text, in small letters; full-width forms are read as what they are forms of. */
function runs(text: string): string[] {
  const narrow = text.replace(/[\uff01-\uff5e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0));
  return narrow.toLowerCase().match(/[a-z0-9\u0080-\u{10ffff}]+/gu) ?? [];
}
