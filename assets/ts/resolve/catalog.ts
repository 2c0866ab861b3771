// Chooses packs by what the catalog says of them, as the program does in
// resolver/context/activate.go.

import type { Words } from "../search/words";

/** A pack, as catalog.json has it. */
export interface Card {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly status: string;
  readonly profile?: string;
  readonly runtime_mode?: string;
  readonly scope?: string;
  readonly grounding?: string;
}

const MOST = 3; // packs
const SEVERITY = ["passed", "needs-review", "stale", "disputed", "failed"];

/** Reads the catalog of a site. */
export async function catalogOf(base: URL): Promise<Card[]> {
  const answer = await fetch(new URL("catalog.json", base));
  if (!answer.ok) throw new Error("The catalog could not be loaded.");
  return ((await answer.json()) as { packs: Card[] }).packs;
}

export function isPersona(card: Card): boolean {
  return card.runtime_mode === "persona";
}

/** What a status makes of a selection. */
function severity({ status }: Card): number {
  const outcome = status === "ready" ? "passed" : status === "archived" ? "failed" : status;
  return Math.max(SEVERITY.indexOf(outcome), outcome === "passed" ? 0 : 1);
}

function blocked({ status }: Card): boolean {
  return status === "draft" || status === "archived" || status === "disputed";
}

/** The packs that fit a question, best first; those that are blocked where no other does. */
export function activate(cards: Card[], asked: string[], words: Words): { cards: Card[]; blocked: boolean } {
  const set = (...texts: string[]): Set<string> => new Set(texts.flatMap((text) => words.all(text, true)).map(({ word }) => word));
  const query = set(...asked);
  const scores = new Map<Card, number>();
  const fitting: Card[] = [];
  const refused: Card[] = [];
  for (const card of cards) {
    const [name, body] = [set(card.name), set(card.description, card.type)];
    const score = [...query].reduce((sum, word) => sum + (name.has(word) ? 2 : body.has(word) ? 1 : 0), 0);
    scores.set(card, score);
    if ((score === 0 && cards.length > 1) || card.status === "archived") continue;
    (blocked(card) ? refused : fitting).push(card);
  }
  const list = fitting.length > 0 ? fitting : refused;
  const score = (card: Card | undefined): number => (card && scores.get(card)) ?? 0;
  list.sort((a, b) => score(b) - score(a) || severity(a) - severity(b));
  const alike = (a: Card, b: Card): boolean => a.type === b.type && (a.scope ?? "") === (b.scope ?? "");
  const ranked = list.filter((card) => card.status !== "stale" || !list.some((other) => other.status === "ready" && alike(card, other)));
  const best = ranked.slice(0, MOST).filter((card) => 2 * score(card) >= score(ranked[0]));
  const persona = best.find(isPersona);
  return { cards: best.filter((card) => !isPersona(card) || card === persona), blocked: fitting.length === 0 };
}
