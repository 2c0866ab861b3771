// What the matcher says about a task.

import type { Dialect } from "./kernel";

/** The score from which an entry loads, unless the reader says otherwise. */
export const USUAL: Record<Dialect, number> = { coverage: 0.1, recall: 0.1, weighted: 0.4 };

/** The dialect of a name; the usual one, coverage unless it is given, for any other text. */
export function dialectOf(name: string | null | undefined, usual: Dialect = "coverage"): Dialect {
  return name === "coverage" || name === "recall" || name === "weighted" ? name : usual;
}

/** One scored entry. */
export interface Detail {
  id: string;
  priority: string;
  mode: string;
  tokens: number | null;
  included: boolean;
  score: number;
  hits: number;
  keywords: number;
  coverage: number;
  absolute: number;
  base: number;
  patternBonus: number;
  matchedKeywords: string[];
  missedKeywords: string[];
  matchedPatterns: string[];
  summary: string;
  path: string;
  reason: string;
  /** The words that hit in a weighted score, and what each is worth; the last are in the summary alone. */
  words?: string[];
  worth?: number[];
  inSummary?: number;
  /** The other wording, from 1, that this is the score for; none for the task itself. */
  wording?: number;
  /** Whether the score is that of the weighted dialect, while the question is another one's. */
  elsewhere?: boolean;
  /** The place in the index. */
  at: number;
}

export interface Answer {
  dialect: Dialect;
  minScore: number;
  tokens: string[];
  total: number;
  /** What would load, whether it is listed or not. */
  loads: { entries: number; tokens: number };
  entries: Detail[];
}
