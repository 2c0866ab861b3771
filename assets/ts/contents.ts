// The table of contents: folded on narrow screens, and following the reader on
// wide ones. It is folded in the HTML, and the stylesheet shows it where it is
// beside the text: a script that folded it would push the text up after it was
// painted.

/** Wide enough for the contents to be beside the text; as in layout.css. */
const BESIDE = "(min-width: 80rem)";

/** How far below the top edge a section counts as being read, in pixels. */
const LINE = 88;

/** Prepares the page's table of contents, if it has one, until the signal. */
export function prepareContents(signal: AbortSignal): void {
  const box = document.querySelector<HTMLDetailsElement>("details.toc");
  if (!box) return;
  const wide = matchMedia(BESIDE);
  // What the stylesheet shows is open for those who hear the page, too.
  if (wide.matches) box.open = true;
  wide.addEventListener("change", () => {
    box.open = wide.matches;
  }, { signal });
  new Follower(box).start(signal);
}

/** A line of the contents and the heading that it leads to. */
interface Place {
  line: HTMLAnchorElement;
  heading: Element;
}

/** Marks the line of the section that is being read. */
class Follower {
  private readonly places: Place[] = [];
  private marked: HTMLAnchorElement | undefined;
  private wanted: Element | null = null;
  private waiting = false;

  constructor(box: HTMLElement) {
    for (const line of box.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
      const heading = target(line.hash);
      if (heading) this.places.push({ line, heading });
    }
  }

  start(signal: AbortSignal): void {
    if (this.places.length === 0) return;
    const later = (): void => {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.mark();
      });
    };
    const arrive = (): void => {
      this.wanted = target(location.hash);
      later();
    };
    addEventListener("scroll", later, { passive: true, signal });
    addEventListener("resize", later, { signal });
    addEventListener("hashchange", arrive, { signal });
    arrive();
  }

  private mark(): void {
    const line = this.current()?.line;
    if (line === this.marked) return;
    this.marked?.removeAttribute("aria-current");
    line?.setAttribute("aria-current", "location");
    this.marked = line;
  }

  /** The last section whose place the page has been scrolled to. */
  private current(): Place | undefined {
    const end = document.documentElement.scrollHeight - innerHeight;
    const at = Math.min(scrollY, end);
    // At the end several sections may be in view. One that was asked for is meant.
    if (at >= end - 1) {
      const asked = this.places.find((place) => place.heading === this.wanted);
      if (asked && asked.heading.getBoundingClientRect().top >= 0) return asked;
    }
    let last: Place | undefined;
    this.stops(at, end).forEach((stop, i) => {
      if (stop <= at + 1) last = this.places[i];
    });
    return last;
  }

  /**
   * How far the page is scrolled when each section is reached. Those too near the
   * end to come to the top share what is left of the way.
   */
  private stops(at: number, end: number): number[] {
    const stops = this.places.map((place) => at + place.heading.getBoundingClientRect().top - LINE);
    const beyond = stops.findIndex((stop) => stop > end - 1);
    if (beyond < 0) return stops;
    const from = Math.max(stops[beyond - 1] ?? 0, end - innerHeight, 0);
    const rest = stops.length - beyond;
    return stops.map((stop, i) => (i < beyond ? stop : from + ((end - from) * (i - beyond + 1)) / rest));
  }
}

/** The element that a fragment names. */
function target(hash: string): Element | null {
  return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
}
