// The page for an address that does not exist: its words lead to the search.

const MAX = 8; // words of an address that are looked for

/** Gives the link to the search the words of the lost address. */
export function guessWords(): void {
  const link = document.querySelector<HTMLAnchorElement>("main.lost a.guess");
  if (!link) return;
  const base = new URL(".", link.href).pathname;
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : location.pathname;
  const words = wordsOf(path);
  if (words.length === 0) return;
  link.search = `?${new URLSearchParams({ q: words.join(" ") })}`;
  link.textContent = `Search for ${words.join(" ")}`;
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
