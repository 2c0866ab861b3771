// The search. It is loaded when somebody uses it.

import { Dialog } from "./search/dialog";
import { prepareLost } from "./search/lost";
import { preparePage } from "./search/page";

export { prepareLost, preparePage };

let dialog: Dialog | undefined;

/** Shows the search of the site at an address. */
export function open(base: URL, keys: boolean): void {
  dialog ??= new Dialog(base);
  dialog.show(keys);
}
