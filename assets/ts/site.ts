// The script of every page. It is loaded in the head, so that what the reader chose is in
// force before the first paint; on a long page once that is seen, see first.ts.

import { restoreChoices } from "./choices";
import { addCodeButtons } from "./code";
import { showCopyButton } from "./copy";
import { prepareContents } from "./contents";
import { prepareSearch } from "./find";
import { prepareGraph, prepareGraphPage } from "./graphs";
import { linkHeadings } from "./headings";
import { preparePeek, reachChips } from "./peeks";
import { prepareLists } from "./lists";
import { prepareMarks } from "./marks";
import { reachScrollBoxes } from "./scroll";
import { prepareSheaf } from "./sheaf";
import { prepareSide } from "./side";
import { addThemeSwitch } from "./theme";
import { prepareZoom } from "./zoom";

restoreChoices();
markAddress();

let content = new AbortController();

// The page of a lost address loads this script once it has found the site.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", prepare);
else prepare();

function prepare(): void {
  addThemeSwitch();
  prepareSearch();
  preparePeek();
  prepareGraphPage();
  prepareSheaf();
  prepareContent();
}

// A server that shows a page while it is being written has put a new content in place.
document.addEventListener("packgen:content", () => {
  content.abort();
  content = new AbortController();
  prepareContent();
});

/** Prepares what is in the page's content; listeners end with it. */
function prepareContent(): void {
  const { signal } = content;
  showCopyButton();
  prepareMarks();
  prepareGraph();
  prepareLists(signal);
  // The rest measures the page, or takes long where the page is: the reader sees it first.
  requestAnimationFrame(() => setTimeout(() => {
    if (signal.aborted) return;
    addCodeButtons();
    linkHeadings();
    reachChips();
    prepareContents(signal);
    prepareZoom(signal);
    reachScrollBoxes(signal);
    prepareSide(signal);
  }));
}

/**
 * Lets the stylesheet say on the match page why nothing happens when it is opened from a
 * folder, and keep room for what the address asks.
 */
function markAddress(): void {
  const marks = document.documentElement.dataset;
  if (location.protocol === "file:") marks["folder"] = "";
  if (/[#?&](task|q)=/.test(location.search + location.hash)) marks["asked"] = "";
}
