// Wide code and tables scroll in a box of their own. Not every browser lets the
// keyboard into such a box by itself.

const BOXES = "pre, .scroll";

function mark(box: HTMLElement): void {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

/** Makes the boxes that scroll sideways reachable with the Tab key, until the signal. */
export function reachScrollBoxes(signal: AbortSignal): void {
  const markAll = (): void => document.querySelectorAll<HTMLElement>(BOXES).forEach(mark);
  markAll();
  addEventListener("resize", markAll, { signal });
  // What is far down is laid out, and has a width, once it is near.
  document.addEventListener("contentvisibilityautostatechange", (event) => {
    const near = event.target;
    if (!(near instanceof HTMLElement) || (event as ContentVisibilityAutoStateChangeEvent).skipped) return;
    requestAnimationFrame(() => [near, ...near.querySelectorAll<HTMLElement>(BOXES)].filter((box) => box.matches(BOXES)).forEach(mark));
  }, { capture: true, signal });
}
