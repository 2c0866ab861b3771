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
  reachScrollBoxes();
});
