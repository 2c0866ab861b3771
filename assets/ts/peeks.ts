// Previews: what a link leads to, and what a source chip rests on. They are loaded when a
// reader stays on one, with the pointer or the keyboard.

import { loadModule } from "./load";

/** The file with the rest, beside this one. */
declare const PEEK_FILE: string;

interface Peek {
  show(target: HTMLElement, otherwise?: () => void): void;
  hide(): void;
}

/** How long a pointer rests on a link before its preview is shown, in milliseconds. */
const REST = 350;

/** What has a preview: links to other pages of the site, and chips. */
const TARGETS = "article a[href]:not(.h, [download]), article .src, .back a, a.src";

/** Shows previews on pages that are read. */
export function preparePeek(): void {
  if (!location.protocol.startsWith("http") || !document.querySelector("article")) return;
  let loaded: Promise<Peek> | undefined;
  let timer = 0;
  const peek = (): Promise<Peek> => (loaded ??= loadModule<Peek>(PEEK_FILE));
  const of = (event: Event): HTMLElement | null => (event.target instanceof Element ? event.target.closest<HTMLElement>(TARGETS) : null);
  const show = (event: Event, after: number): void => {
    const target = of(event);
    if (!target) return;
    clearTimeout(timer);
    timer = setTimeout(() => void peek().then((it) => it.show(target)).catch(() => (loaded = undefined)), after);
  };
  const hide = (): void => {
    clearTimeout(timer);
    void loaded?.then((it) => it.hide()).catch(() => undefined);
  };
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(event, REST));
  document.addEventListener("pointerout", (event) => event.pointerType === "mouse" && of(event) && clearTimeout(timer));
  document.addEventListener("focusin", (event) => {
    if (of(event)?.matches(":focus-visible")) show(event, REST);
  });
  document.addEventListener("focusout", hide);
  // A finger cannot rest on a chip: the first tap shows what it rests on, a second one, or
  // the link in the card, opens the source.
  let finger = false;
  let tapped: HTMLElement | null = null;
  document.addEventListener("pointerdown", (event) => (finger = event.pointerType === "touch"), true);
  document.addEventListener("click", (event) => {
    const chip = of(event);
    if (chip?.matches(".src:not([href])")) show(event, 0);
    else if (finger && chip instanceof HTMLAnchorElement && chip.matches(".src") && chip !== tapped) {
      event.preventDefault();
      const follow = (): void => void (location.href = chip.href);
      void peek().then((it) => it.show(chip, follow)).catch(follow);
    } else if (finger && !(event.target instanceof Element && event.target.closest(".peek"))) hide();
    tapped = chip;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}

/** Makes the chips of an article reachable by key: what they rest on is shown there. */
export function reachChips(): void {
  for (const chip of document.querySelectorAll<HTMLElement>("article .src:not([href])")) {
    chip.tabIndex = 0;
    chip.setAttribute("role", "button");
  }
}
