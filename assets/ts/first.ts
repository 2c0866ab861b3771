// What a page carries in itself so that its first paint waits for no script: the reader's
// choices, and what loads the scripts, in their order, once something is seen.

import { restoreChoices } from "./choices";

restoreChoices();

// A page so long that scripts on their way would keep it waiting names them here.
const named = document.currentScript?.dataset["load"]?.split(" ");

// A frame of a tab that is not seen comes when it is.
requestAnimationFrame(() => setTimeout(() => {
  for (const address of named ?? [...document.querySelectorAll<HTMLLinkElement>("link[as=script]")].map((link) => link.href)) {
    const script = document.createElement("script");
    script.async = false;
    script.src = address;
    document.head.append(script);
  }
}));
