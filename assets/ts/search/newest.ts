// Of several equal sections the newest version is first, as in resolver/context/rank/newest.go.

const ELSEWHERE = 0.95; // the share of a score from which on sections of several documents are equal
const INSIDE = 0.995; // and those of one
const MOST = 64; // sections that are looked at, the best ones
const STEP = 0.01; // by which an older version is below a newer one

/** The newest versions that the titles of sections name, by section. */
export type Versions = Map<number, string>;

/** A section that is ranked. */
export interface Ranked {
  readonly section: number;
  readonly score: number;
}

/** Reports a word that may be a version: a v and numbers, "v2" too. */
export function isNumbered(word: string): boolean {
  return /^v[0-9][0-9.]*(~.*)?$/.test(word);
}

/** Notes that the titles of a section name a version. */
export function addVersion(versions: Versions, section: number, version: string): void {
  const old = versions.get(section);
  if (old === undefined || compare(version, old) > 0) versions.set(section, version);
}

/** Compares two versions number by number; what comes before a release is older than it. */
function compare(a: string, b: string): number {
  const [numbersA = "", stageA] = a.slice(1).split("~");
  const [numbersB = "", stageB] = b.slice(1).split("~");
  const [x, y] = [numbersA.split("."), numbersB.split(".")];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = compareNumbers(x[i] ?? "", y[i] ?? "");
    if (order !== 0) return order;
  }
  if (x.length !== y.length) return x.length - y.length;
  if (stageA === undefined || stageB === undefined) return Number(stageA === undefined) - Number(stageB === undefined);
  const [nameA, nameB] = [stageA.replace(/[0-9]+$/, ""), stageB.replace(/[0-9]+$/, "")];
  return compareTexts(nameA, nameB) || compareNumbers(stageA.slice(nameA.length), stageB.slice(nameB.length));
}

function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || compareTexts(x, y);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The scores that change, since the newest of equal sections has the best of them. Hits are the best first. */
export function newestFirst(hits: Ranked[], versions: Versions, page: (section: number) => number, held: (section: number) => string): Map<number, number> {
  const scores = new Map<number, number>();
  let list = hits.filter(({ section }) => versions.has(section)).slice(0, MOST);
  while (list.length > 1) {
    const [first] = list;
    if (!first) break;
    const [group, holds] = [page(first.section), held(first.section)];
    const isEqual = (hit: Ranked): boolean => hit.score >= (group >= 0 && page(hit.section) === group ? INSIDE : ELSEWHERE) * first.score && held(hit.section) === holds;
    const equal = list.filter(isEqual);
    const newest = [...equal].sort((a, b) => compare(versions.get(b.section) ?? "", versions.get(a.section) ?? ""));
    newest.forEach(({ section }, i) => scores.set(section, Math.round(((equal[i]?.score ?? 0) - STEP * i) * 100) / 100));
    list = list.filter((hit) => !isEqual(hit));
  }
  return scores;
}
