// A button on each code block that copies it.

import { flash } from "./copy";

/** Adds the buttons. A page opened from a folder may not write to the clipboard. */
export function addCodeButtons(): void {
  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll<HTMLElement>("article pre > code")) {
    const pre = code.parentElement;
    if (!pre || pre.classList.contains("math")) continue;
    const box = document.createElement("div");
    box.className = "code-box";
    pre.replaceWith(box);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the code");
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(code.textContent ?? "").then(
        () => flash(button, "Copied"),
        () => flash(button, "Could not copy"),
      );
    });
    box.append(pre, button);
  }
}
