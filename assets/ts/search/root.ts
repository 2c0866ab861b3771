// The root of the search index: search/index.json.

import type { Table } from "../shard/table";

/** What the scorer knows about words and weights; fields are numbered. */
export interface Rules {
  readonly weights: number[];
  readonly lengths: number[];
  readonly saturation: number;
  readonly heading: number;
  readonly headings: number[];
  readonly corpus: number;
  readonly neighbour: number;
  readonly about: number;
  readonly weakWeight: number;
  readonly classes: number[]; // of characters above ASCII: the first, how many follow, the class
  readonly folds: Readonly<Record<string, string>>; // small letters, by what they are without accents
  readonly signs: string;
  readonly stages: string;
  readonly stop: string[];
  readonly weak: string[];
  readonly endings: [string, string][];
  readonly cyrillic: string;
  readonly minCyr: number;
  readonly synonyms: string[];
  readonly head: number;
  readonly synonym: number;
  readonly minWord: number;
  readonly minPlural: number;
  readonly minStem: number;
  readonly compound: [number, number, number];
  readonly choice: Choice;
}

/** Where a list of sections ends, and when a selection is sure. */
export interface Choice {
  readonly stop: number;
  readonly most: number;
  readonly mostForPart: number;
  readonly maxParts: number;
  readonly minPartWords: number;
  readonly clearScore: number;
  readonly clearStop: number;
  readonly guessScore: number;
  readonly guessMost: number;
  readonly nothingScore: number;
  readonly heldShare: number;
  readonly headingLack: number;
  readonly newShare: number;
  readonly newStop: number;
  readonly wordingMost: number;
  readonly wordingStop: number;
  readonly wordingLeast: number;
  readonly wordingNear: number;
  readonly wordingAgree: number;
  readonly sure: number;
  readonly least: number;
  readonly sureOverPacks: number;
  readonly leastOverPacks: number;
  readonly reworded: number;
  readonly rare: number;
}

/** A pack of the site. */
export interface Pack {
  readonly name: string;
  readonly dir: string;
  readonly status: string;
  readonly sections: number;
  readonly titles: string[] | null;
  readonly layout?: string;
}

export interface Root {
  readonly version: number;
  readonly rules: Rules;
  readonly sections: number;
  readonly totals: number[];
  readonly kinds: string[];
  readonly statuses: string[];
  /** Those that some section has. */
  readonly offered: { readonly kinds: string[]; readonly statuses: string[] };
  readonly titles: [number, number];
  readonly packs: Pack[];
  readonly runs: { readonly name: string; readonly sections: number }[] | null;
  readonly words: Table;
}

/** The version of the format that this script reads. */
export const VERSION = 1;
