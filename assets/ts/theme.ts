// Light and dark: the system decides until the reader does.

import { THEME } from "./choices";

type Theme = "light" | "dark";

/** Puts the switch at the end of the page's header. */
export function addThemeSwitch(): void {
  const nav = document.querySelector("header.top > nav");
  if (!nav) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  name(button);
  button.addEventListener("click", () => {
    const next: Theme = current() === "dark" ? "light" : "dark";
    apply(next);
    try {
      localStorage.setItem(THEME, next);
    } catch {
      // The choice then lasts as long as the page.
    }
    name(button);
  });
  nav.after(button);
}

function current(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function apply(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

function name(button: HTMLButtonElement): void {
  const label = current() === "dark" ? "Use light colours" : "Use dark colours";
  button.title = label;
  button.setAttribute("aria-label", label);
}
