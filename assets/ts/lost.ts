// The page for an address that does not exist: it carries this script in itself. A server
// shows the page at any depth, and the links of a site that has no address of its own are
// relative: the script looks for the folder of the site, then loads the scripts of every page.
// The words of the address are looked for by the search.

import { restoreChoices } from "./choices";

/** The file with the search, below assets/. */
declare const SEARCH_FILE: string;

interface Search {
  prepareLost(room: HTMLElement, base: URL, name: string, words: string): void;
}

const MAX = 8; // words of an address that are looked for
const DEEP = 40; // folders of an address that are tried

restoreChoices();

const scripts = document.currentScript?.dataset["load"]?.split(" ") ?? [];
if (scripts[0]?.startsWith("/") || location.protocol === "file:") start("");
else void findSite(scripts[0] ?? "");

/** Tries the folders of the address, the shortest first: where the script is, the site is. */
async function findSite(script: string): Promise<void> {
  const folders = location.pathname.split("/").slice(0, -1).filter((name) => name !== "");
  for (let n = 0; n <= Math.min(folders.length, DEEP); n++) {
    const base = `/${folders.slice(0, n).map((name) => `${name}/`).join("")}`;
    if (await isThere(base + script)) return settle(base);
  }
}

/** Reports whether there is a script. A page of the server, for what it does not know, is none. */
async function isThere(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address);
    return answer.ok && !/html/.test(answer.headers.get("content-type") ?? "");
  } catch {
    return false;
  }
}

/** Lets everything on the page lead to where the site is. */
function settle(base: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement | HTMLLinkElement>("a:not([href^='#']), link[href]")) link.href = base + link.getAttribute("href");
  start(base);
}

/** Loads the scripts of every page, which find their links in place. */
function start(base: string): void {
  guessWords();
  for (const address of scripts) {
    const script = document.createElement("script");
    script.async = false;
    script.src = base + address;
    document.head.append(script);
  }
}

/** Gives the link to the search the words of the lost address, and the search itself. */
function guessWords(): void {
  const link = document.querySelector<HTMLAnchorElement>("main.lost a.guess");
  if (!link) return;
  const base = new URL(".", link.href).pathname;
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : location.pathname;
  const words = wordsOf(path);
  if (words.length === 0) return;
  link.search = `?${new URLSearchParams({ q: words.join(" ") })}`;
  link.textContent = `Search for ${words.join(" ")}`;
  const room = document.querySelector<HTMLElement>("main.lost .near");
  if (!room) return;
  // The name of the page says most of what it was about.
  const name = wordsOf(path.split("/").pop() ?? "");
  void import(new URL(`assets/${SEARCH_FILE}`, new URL(".", link.href)).href)
    .then((search: Search) => search.prepareLost(room, new URL(".", link.href), name.join(" "), words.join(" ")))
    .catch(() => undefined); // the link leads to the search
}

/** The words of an address, the last part first: it says most. */
function wordsOf(path: string): string[] {
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // An address that is not text is taken as it is.
  }
  const parts = text.replace(/\.(html|md)$/, "").split("/").reverse();
  const words = parts.flatMap((part) => part.split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== "" && !/^(packs|documents|wiki|index)$/.test(word));
  return [...new Set(words)].slice(0, MAX).map((word) => word.slice(0, 40));
}
