// The script of every page. It is loaded in the head, so that the chosen colour
// scheme is in force before the first paint; the rest waits for the page.

import { addCodeButtons } from "./code";
import { showCopyButton } from "./copy";
import { prepareContents } from "./contents";
import { prepareSearch } from "./find";
import { linkHeadings } from "./headings";
import { reachScrollBoxes } from "./scroll";
import { addThemeSwitch, restoreTheme } from "./theme";

restoreTheme();
tellFolder();

document.addEventListener("DOMContentLoaded", () => {
  addThemeSwitch();
  prepareSearch();
  showCopyButton();
  addCodeButtons();
  prepareContents();
  linkHeadings();
  reachScrollBoxes();
});

/** Lets the stylesheet say on the match page why nothing happens when it is opened from a folder. */
function tellFolder(): void {
  if (location.protocol === "file:") document.documentElement.dataset["folder"] = "";
}
