// The page for an address that does not exist: it carries this script in itself. A server
// shows the page at any depth, and the links of a site that has no address of its own are
// relative: the script looks for the folder of the site. The words of the address lead to
// the search.

const MAX = 8; // words of an address that are looked for
const DEEP = 40; // folders of an address that are tried

const styles = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
if (isMissing(styles[0])) void findSite();
else guessWords();

/** Reports a stylesheet that was not found. */
function isMissing(style: HTMLLinkElement | undefined): boolean {
  try {
    return !style?.sheet?.cssRules.length;
  } catch {
    return false; // a page opened from a folder may not look into it
  }
}

/** Tries the folders of the address, the shortest first: where the stylesheet is, the site is. */
async function findSite(): Promise<void> {
  const style = styles[0]?.getAttribute("href") ?? "";
  const folders = location.pathname.split("/").slice(0, -1).filter((name) => name !== "");
  for (let n = 0; n <= Math.min(folders.length, DEEP); n++) {
    const base = `/${folders.slice(0, n).map((name) => `${name}/`).join("")}`;
    if (await loads(base + style)) return settle(base);
  }
}

function loads(address: string): Promise<boolean> {
  return new Promise((done) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = address;
    link.onload = () => done(true);
    link.onerror = () => {
      link.remove();
      done(false);
    };
    document.head.append(link);
  });
}

/** Lets everything on the page lead to where the site is. */
function settle(base: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement | HTMLLinkElement>("a:not([href^='#']), link[rel=icon]")) link.href = base + link.getAttribute("href");
  styles.slice(1).forEach((style) => (style.href = base + style.getAttribute("href")));
  for (const script of document.querySelectorAll<HTMLScriptElement>("script[src]")) {
    const again = document.createElement("script");
    again.async = false;
    again.src = base + script.getAttribute("src");
    document.head.append(again);
  }
  guessWords();
}

/** Gives the link to the search the words of the lost address. */
function guessWords(): void {
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
