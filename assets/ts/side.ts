// The navigation beside a page. The HTML has the folder that the page is in; the tree of
// all folders is loaded where it is seen, or when the button in the header shows it.

import { loadModule } from "./load";

/** The file with the tree, beside this one. */
declare const TREE_FILE: string;

interface Tree {
  showTree(side: HTMLElement): Promise<void>;
}

/** Wide enough for the navigation to be beside the text; as in layout.css. */
const BESIDE = "(min-width: 68.75rem)";

/** Puts the whole tree in the place of the folder, until the signal. */
export function prepareSide(signal: AbortSignal): void {
  const side = document.querySelector<HTMLElement>("nav.side");
  // A page opened from a folder may not read its neighbours.
  if (!side || side.querySelector(".tree") || !location.protocol.startsWith("http")) return;
  let asked = false;
  const show = (): void => {
    if (asked) return;
    asked = true;
    void loadModule<Tree>(TREE_FILE)
      .then((tree) => (signal.aborted ? undefined : tree.showTree(side)))
      .catch(() => (asked = false)); // the folder stays
  };
  const wide = matchMedia(BESIDE);
  if (wide.matches) setTimeout(show);
  wide.addEventListener("change", show, { signal });
  side.addEventListener("beforetoggle", show, { signal });
}
