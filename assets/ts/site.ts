// The script of every page. It is loaded in the head, so that the chosen colour
// scheme is in force before the first paint; the rest waits for the page.

import { addCopyButton } from "./copy";
import { prepareContents } from "./contents";
import { linkHeadings } from "./headings";
import { reachScrollBoxes } from "./scroll";
import { addThemeSwitch, restoreTheme } from "./theme";

restoreTheme();

document.addEventListener("DOMContentLoaded", () => {
  addThemeSwitch();
  addCopyButton();
  prepareContents();
  linkHeadings();
  explainFolder();
  reachScrollBoxes();
});

/** Says on the match page why nothing happens when it is opened from a folder. */
function explainFolder(): void {
  const notice = document.querySelector<HTMLElement>("#away");
  if (notice) notice.hidden = location.protocol !== "file:";
}
