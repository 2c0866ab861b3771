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

export function isPersona(card: Card | undefined): boolean {
  return card?.runtime_mode === "persona";
}

/** What a status makes of a selection. */
export function severity(card: Card | undefined): number {
  const status = card?.status ?? "";
  const outcome = status === "ready" ? "passed" : status === "archived" ? "failed" : status;
  return Math.max(SEVERITY.indexOf(outcome), outcome === "passed" ? 0 : 1);
}

/** Whether a stale pack has a ready one of its type and scope beside it. */
export function yields(own: Card, other: Card | undefined): boolean {
  return own.status === "stale" && other?.status === "ready" && other.type === own.type && (other.scope ?? "") === (own.scope ?? "");
}

/** A pack with how well the catalog fits a question. */
export interface Rated {
  readonly card: Card;
  readonly score: number;
}

/** Tells the packs that may be used from those that their status keeps out; of archived ones nothing is said. */
export function gate(cards: Card[], asked: string[], words: Words): { usable: Rated[]; blocked: Rated[] } {
  const set = (...texts: string[]): Set<string> => new Set(texts.flatMap((text) => words.of(text)).map(({ word }) => word));
  const query = set(...asked);
  const rated = cards.map((card) => {
    const [name, body] = [set(card.name), set(card.description, card.type)];
    return { card, score: [...query].reduce((sum, word) => sum + (name.has(word) ? 2 : body.has(word) ? 1 : 0), 0) };
  });
  const may = ({ status }: Card): boolean => status !== "draft" && status !== "disputed" && status !== "archived";
  return { usable: rated.filter(({ card }) => may(card)), blocked: rated.filter(({ card }) => !may(card) && card.status !== "archived") };
}

/** The packs that the catalog fits best. One that is alone needs to share no word. */
export function fitting<T extends Rated>(rated: T[], alone: boolean): T[] {
  const list = rated.filter(({ score }) => score > 0 || alone).sort((a, b) => b.score - a.score || severity(a.card) - severity(b.card));
  const ranked = list.filter(({ card }) => !list.some((other) => yields(card, other.card)));
  const best = ranked.slice(0, MOST).filter(({ score }) => 2 * score >= (ranked[0]?.score ?? 0));
  const persona = best.find(({ card }) => isPersona(card));
  return best.filter((r) => !isPersona(r.card) || r === persona);
}
