// The order of pages that are nearly as good: what is called as the query is first, and a
// page before its copies in other languages.

import type { ShownPage } from "./files";
import type { Hit } from "./score";
import type { Words } from "./words";

/** A page with its hits, the best first. */
export interface Group {
  readonly hits: Hit[];
  readonly page: ShownPage;
}

const CALLED = 0.75; // of the best score, from which a page of that name is first
const EQUAL = 0.9; // of a copy's score, from which the page it is made of is before it

/** Puts the pages in order; they come by their scores, the best first. */
export function order(groups: Group[], query: string, words: Words): Group[] {
  const asked = key(query, words);
  const least = CALLED * (groups[0]?.hits[0]?.score ?? 0);
  const called = (group: Group): boolean => asked !== "" && score(group) >= least && key(group.page[1], words) === asked;
  const list = [...groups.filter(called), ...groups.filter((group) => !called(group))];
  for (const main of groups) {
    const at = list.indexOf(main);
    const first = list.findIndex((other, i) => i < at && other.hits[0]?.pack === main.hits[0]?.pack && isCopy(other.page[0], main.page[0]) && score(main) >= EQUAL * score(other));
    if (first >= 0) list.splice(first, 0, ...list.splice(at, 1));
  }
  return list;
}

function score(group: Group): number {
  return group.hits[0]?.score ?? 0;
}

/** The words of a text. */
function key(text: string, words: Words): string {
  return words.all(text, false).map(({ word }) => word).join(" ");
}

/**
 * Reports whether a page is called as a copy of another in a language: README.he.html or
 * README.hebrew.html of README.html, guide_fr.html of guide.html, fr/guide.html of
 * guide.html or en/guide.html.
 */
function isCopy(copy: string, main: string): boolean {
  const stem = main.replace(/(\.mdx)?\.html$/, "");
  const rest = copy.startsWith(stem) ? copy.slice(stem.length) : "";
  if (/^(\.[a-z]{4,12}|[._-][a-z]{2}([-_][a-z]{2,4})?)(\.mdx)?\.html$/i.test(rest)) return true;
  const from = copy.split("/");
  const to = main.split("/");
  return from.some((part, i) => {
    if (!LANGUAGE.test(part) || i === from.length - 1) return false;
    const without = from.toSpliced(i, 1);
    return same(without, to) || (to[i] === "en" && part !== "en" && same(without, to.toSpliced(i, 1)));
  });
}

const LANGUAGE = /^[a-z]{2}([-_][a-z]{2,4})?$/i;

function same(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
