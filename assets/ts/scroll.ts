// Wide code and tables scroll in a box of their own. Not every browser lets the
// keyboard into such a box by itself.

/** Makes the boxes that scroll sideways reachable with the Tab key, until the signal. */
export function reachScrollBoxes(signal: AbortSignal): void {
  const mark = (): void => {
    for (const box of document.querySelectorAll<HTMLElement>("pre, .scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  mark();
  addEventListener("resize", mark, { signal });
}
