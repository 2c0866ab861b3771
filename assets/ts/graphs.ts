// The graph of links: a button on each page that is read, and the page of the graph.

import { loadModule } from "./load";

/** The file with the rest, beside this one. */
declare const GRAPH_FILE: string;

interface Graph {
  openGraph(base: URL, name: string): Promise<void>;
  showAround(place: HTMLElement, base: URL, name: string): Promise<void>;
  showPack(place: HTMLElement, base: URL): Promise<void>;
}

/** Gives a page of documents or wiki its button, before the one that copies the page. */
export function prepareGraph(): void {
  // A page opened from a folder may not read its neighbours.
  if (!location.protocol.startsWith("http")) return;
  const copy = document.querySelector(".doc .meta .copy");
  const pack = document.querySelector<HTMLAnchorElement>(".crumbs a");
  if (!copy || !pack) return;
  const base = new URL(".", pack.href);
  const name = decodeURIComponent(location.pathname.slice(base.pathname.length)).replace(/\.html$/, "").replace(/(^|\/)$/, "$1index");
  if (!/^(documents|wiki)\//.test(name)) return;
  const open = (): void => void loadModule<Graph>(GRAPH_FILE).then((graph) => graph.openGraph(base, name)).catch(() => undefined);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet marks";
  button.textContent = "Links";
  button.title = "Show the pages around this one";
  button.addEventListener("click", open);
  copy.before(button);
  document.querySelector(".back .more a")?.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
}

/** Draws the graph on its own page: of the pack, or around the page that the address names. */
export function prepareGraphPage(): void {
  const place = document.querySelector<HTMLElement>("main > .graph");
  if (!place || !location.protocol.startsWith("http")) return;
  const base = new URL(".", location.href);
  const name = decodeURIComponent(location.search.slice(1));
  void loadModule<Graph>(GRAPH_FILE).then((graph) => (name === "" ? graph.showPack(place, base) : graph.showAround(place, base, name))).catch(() => undefined);
}
