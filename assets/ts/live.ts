// The script of a site that is being written: it listens for the next build and
// shows it. Only `packgen serve` adds it to a page; no published page has it.

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

restoreScroll();
listen(script?.dataset["sum"] ?? "");

/** Listens for builds. A lost connection is taken up again by the browser. */
function listen(sum: string): void {
  const query = new URLSearchParams({ page, sum });
  const source = new EventSource(`/_packgen/events?${query}`);
  source.onmessage = (event: MessageEvent<string>) => {
    take(JSON.parse(event.data) as Message);
  };
}

function take(message: Message): void {
  if (message.reload) {
    reload();
    return;
  }
  if (message.styles) swapStyles(message.styles);
  showFindings(message.findings, message.error ?? "");
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
