// The script of a site that is being written: it listens for the next build and
// shows it. Only `packgen serve` adds it to a page; no published page has it.

import { replaceContent, shellOf } from "./inplace";
import { showFindings, type Finding } from "./overlay";

interface Message {
  reload?: boolean;
  styles?: Record<string, string>;
  findings: Finding[];
  error?: string;
}

const script = document.currentScript as HTMLScriptElement | null;
const page = script?.dataset["page"] ?? "";
const scrollKey = `packgen-scroll:${page}`;

/** The page as it came, before other scripts added to it. */
let shell = shellOf(document);

/** Which version of the page is shown, and the newest one that was asked for. */
let shown = script?.dataset["sum"] ?? "";
let asked = 0;

restoreScroll();
listen(shown);

/** Listens for builds. A lost connection is taken up again by the browser. */
function listen(sum: string): void {
  const query = new URLSearchParams({ page, sum });
  const source = new EventSource(`/_packgen/events?${query}`);
  source.onmessage = (event: MessageEvent<string>) => {
    take(JSON.parse(event.data) as Message);
  };
}

function take(message: Message): void {
  if (message.reload) void renew();
  if (message.styles) swapStyles(message.styles);
  showFindings(message.findings, message.error ?? "");
}

/** Shows the page as it is now. Only its content is replaced where the rest is as it was: to load it again takes the browser ten times as long. */
async function renew(): Promise<void> {
  const mine = ++asked;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== asked) return;
    const sum = next.querySelector<HTMLElement>("script[data-sum]")?.dataset["sum"] ?? "";
    if (answer.ok && sum !== "" && sum === shown) return; // a connection that was lost reports an old change
    const made = answer.ok ? replaceContent(next, shell) : null;
    if (!made) return reload();
    shell = made;
    shown = sum;
  } catch {
    reload();
  }
}

/** Loads the page again and keeps the place where the reader is. */
function reload(): void {
  try {
    sessionStorage.setItem(scrollKey, String(scrollY));
  } catch {
    // Without storage the page starts at its top.
  }
  location.reload();
}

function restoreScroll(): void {
  let kept: string | null = null;
  try {
    kept = sessionStorage.getItem(scrollKey);
    sessionStorage.removeItem(scrollKey);
  } catch {
    return;
  }
  if (kept !== null) scrollTo({ top: Number(kept), behavior: "instant" });
}

/** Puts each new stylesheet in place of the old one once it is loaded. */
function swapStyles(styles: Record<string, string>): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) {
    const href = link.getAttribute("href") ?? "";
    for (const [from, to] of Object.entries(styles)) {
      if (!href.endsWith(from)) continue;
      const next = link.cloneNode() as HTMLLinkElement;
      next.href = href.slice(0, -from.length) + to;
      next.onload = () => link.remove();
      link.after(next);
    }
  }
}
