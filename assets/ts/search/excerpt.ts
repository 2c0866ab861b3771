// Marks words in what a hit shows. All of it goes in as text, never as markup.

import type { Word, Words } from "./words";

const LENGTH = 190; // characters of an excerpt
const BEFORE = 50; // of these before the first marked word

/** The text with its marked words. */
export function marked(text: string, stems: Set<string>, words: Words): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let at = 0;
  for (const { word, from, to } of inOrder(text, words)) {
    if (from < at || !stems.has(words.stem(word))) continue;
    if (from > at) parts.push(text.slice(at, from));
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    parts.push(mark);
    at = to;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** The words of a text by their places, the longer first. */
function inOrder(text: string, words: Words): Word[] {
  return words.all(text, true).sort((a, b) => a.from - b.from || b.to - a.to);
}

/** The part of a section that holds most of the words. */
export function excerpt(markdown: string, stems: Set<string>, words: Words): string {
  const text = plain(markdown.slice(0, 20000));
  const found = inOrder(text, words).filter(({ word }) => stems.has(words.stem(word)));
  let best = 0;
  let most = 0;
  found.forEach(({ from }, i) => {
    const inside = new Set<string>();
    for (let j = i; j < found.length && (found[j]?.to ?? 0) - from < LENGTH - BEFORE; j++) inside.add(words.stem(found[j]?.word ?? ""));
    if (inside.size > most) [best, most] = [from, inside.size];
  });
  let start = best <= BEFORE ? 0 : text.indexOf(" ", best - BEFORE) + 1;
  if (start > best) start = best;
  const end = Math.min(text.length, start + LENGTH);
  const cut = end < text.length ? Math.max(text.lastIndexOf(" ", end), start + LENGTH / 2) : end;
  return (start > 0 ? "… " : "") + text.slice(start, cut) + (cut < text.length ? " …" : "");
}

/** Markdown without most of its marks, on one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/^(\s*#{1,6} .*\n)+/, "") // the name of the hit says these
    .replace(/^(#{1,6} .*?)\s*\{[#.:][^{}\n]*\}[ \t]*$/gm, "$1")
    .replace(/^\s*(```|~~~).*$/gm, " ")
    .replace(/\[(source|status):[^\]]*\]/gi, " ")
    .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])?/g, " ")
    .replace(/^\s*\[[^\]]+\]:\s.*$/gm, " ") // where links lead
    .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<\/?[a-z][^>]*>|<!--.*?-->/gis, " ")
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, " ")
    .replace(/^[\s|:-]+$/gm, " ")
    .replace(/\|/g, " ")
    .replace(/[*`]+|\b_+|_+\b/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
