// A pack as one document: the texts of its pages, in the author's order, to be printed.

import { loadModule } from "./load";

/** The file with the rest, beside this one. */
declare const PRINT_FILE: string;

/** Puts the texts in, where the page is one to print. */
export function prepareSheaf(): void {
  const list = document.querySelector<HTMLOListElement>("ol.sheaf");
  // A page opened from a folder may not read its neighbours.
  if (!list || !location.protocol.startsWith("http")) return;
  void loadModule<{ fillSheaf(list: HTMLOListElement): Promise<void> }>(PRINT_FILE).then((sheaf) => sheaf.fillSheaf(list)).catch(() => undefined);
}
