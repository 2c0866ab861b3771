// What a page carries in itself so that its first paint waits for no script: the reader's
// choices, and what loads the scripts, in their order, once something is seen.

import { restoreChoices } from "./choices";

restoreChoices();

// A frame of a tab that is not seen comes when it is.
requestAnimationFrame(() => setTimeout(() => {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[as=script]")) {
    const script = document.createElement("script");
    script.async = false;
    script.src = link.href;
    document.head.append(script);
  }
}));
