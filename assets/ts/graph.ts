// How pages link to each other: around a page two steps far, or all of a pack. What is
// drawn is listed too, for those who do not see it.

interface Page {
  title: string;
  to?: string[];
  from?: [string, string][];
  more?: number;
}

interface Node {
  title: string;
  page: string;
  size: number;
  group: string;
}

interface Pack {
  files: number;
  nodes: Node[];
  edges: [number, number][] | null;
  more?: number;
}

/** What is drawn: a name, an address, a place, and how far it is from the page. */
interface Dot {
  name: string;
  url: string;
  x: number;
  y: number;
  step: number;
  radius: number;
}

const NEAR = 20; // pages of the first step that are drawn
const FAR = 40; // pages of the second step
const FILES = 24; // files that are loaded for one page at most
const TRIES = 3;
const SVG = "http://www.w3.org/2000/svg";

const packs = new Map<string, Promise<Pack>>();
const files = new Map<string, Promise<Record<string, Page>>>();

async function load<T>(known: Map<string, Promise<T>>, address: string): Promise<T> {
  let got = known.get(address);
  if (!got) {
    got = (async () => {
      for (let tries = 1; ; tries++) {
        try {
          const answer = await fetch(address);
          if (!answer.ok) throw new Error(`${answer.status}`);
          return (await answer.json()) as T;
        } catch (error) {
          if (tries === TRIES) throw error;
        }
      }
    })();
    known.set(address, got);
    got.catch(() => known.delete(address));
  }
  return got;
}

/** The number of the file that has a page: its hash (FNV-1a), as the build takes it. */
function fileOf(page: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(page)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % count;
}

/** The pages of a pack, as far as they are asked for. */
class Around {
  private readonly loaded = new Set<number>();

  constructor(
    readonly base: URL,
    private readonly count: number,
  ) {}

  /** A page; undefined when it is in one file too many, or in none. */
  async page(name: string): Promise<Page | undefined> {
    const file = fileOf(name, this.count);
    if (!this.loaded.has(file)) {
      if (this.loaded.size === FILES) return undefined;
      this.loaded.add(file);
    }
    return (await load(files, new URL(`graph/${file}.json`, this.base).href))[name];
  }

  url(name: string): string {
    return new URL(`${name.split("/").map(encodeURIComponent).join("/")}.html`, this.base).href;
  }
}

/** Shows the pages around one of them in a place of the page. */
export async function showAround(place: HTMLElement, base: URL, name: string): Promise<void> {
  place.replaceChildren(text("p", "sum", "Loading…"));
  try {
    const pack = await load(packs, new URL("graph/index.json", base).href);
    const around = new Around(base, pack.files);
    const here = await around.page(name);
    if (!here) throw new Error("no such page");
    const near = distinct([...(here.from ?? []).map(([from]) => from), ...(here.to ?? [])]).slice(0, NEAR);
    const pages = await Promise.all(near.map((page) => around.page(page)));
    const far: [string, number][] = [];
    const seen = new Set([name, ...near]);
    pages.forEach((page, i) => {
      let room = Math.max(2, Math.floor(FAR / near.length));
      for (const next of distinct([...(page?.to ?? []), ...(page?.from ?? []).map(([from]) => from)])) {
        if (seen.has(next) || room-- === 0 || far.length === FAR) continue;
        seen.add(next);
        far.push([next, i]);
      }
    });
    const titles = await Promise.all(far.map(([page]) => around.page(page)));
    const title = (page: Page | undefined, path: string): string => page?.title ?? path.slice(path.lastIndexOf("/") + 1);
    const dots: Dot[] = [{ name: here.title, url: around.url(name), x: 0, y: 0, step: 0, radius: 8 }];
    const lines: [number, number][] = [];
    near.forEach((page, i) => {
      dots.push({ name: title(pages[i], page), url: around.url(page), step: 1, radius: 6, ...onRing(1, i, near.length) });
      lines.push([0, i + 1]);
    });
    far.forEach(([page, parent], i) => {
      dots.push({ name: title(titles[i], page), url: around.url(page), step: 2, radius: 4, ...onRing(2, i, far.length) });
      lines.push([parent + 1, near.length + 1 + i]);
    });
    const parts: HTMLElement[] = near.length > 0 ? [drawing(dots, lines, `Pages around ${here.title}`)] : [text("p", "sum", "No page links here, and this page links to none.")];
    parts.push(...(await lists(here, around)));
    const hidden = (here.more ?? 0) + Math.max(0, distinct([...(here.from ?? []).map(([from]) => from), ...(here.to ?? [])]).length - NEAR);
    if (hidden > 0) parts.splice(1, 0, text("p", "more", `${hidden} more links are not drawn.`));
    place.replaceChildren(...parts);
  } catch {
    place.replaceChildren(text("p", "sum", "The links could not be loaded. Reload the page to try again."));
  }
}

/** The pages that link here, each with its sentence, and those that this one links to. */
async function lists(here: Page, around: Around): Promise<HTMLElement[]> {
  const row = async (page: string, said: string): Promise<HTMLLIElement> => {
    const found = await around.page(page).catch(() => undefined);
    const link = text("a", "", found?.title ?? page) as HTMLAnchorElement;
    link.href = around.url(page);
    const item = document.createElement("li");
    item.append(link);
    if (said !== "") item.append(text("p", "", said));
    return item;
  };
  const parts: HTMLElement[] = [];
  for (const [name, rows] of [
    ["Linked from", here.from ?? []],
    ["Links to", (here.to ?? []).map((page): [string, string] => [page, ""])],
  ] as [string, [string, string][]][]) {
    if (rows.length === 0) continue;
    const section = document.createElement("section");
    section.className = "back";
    const list = document.createElement("ul");
    list.append(...(await Promise.all(rows.map(([page, said]) => row(page, said)))));
    section.append(text("h2", "label", name), list);
    parts.push(section);
  }
  return parts;
}

function onRing(step: number, i: number, of: number): { x: number; y: number } {
  const angle = (2 * Math.PI * (i + (step === 2 ? 0.5 : 0))) / of - Math.PI / 2;
  return { x: Math.cos(angle) * step, y: Math.sin(angle) * step };
}

/** Shows the pages of a pack, or its folders where there are too many. */
export async function showPack(place: HTMLElement, base: URL): Promise<void> {
  try {
    const pack = await load(packs, new URL("graph/index.json", base).href);
    const all = pack.edges ?? [];
    if (all.length === 0) return;
    // What no link leads to or from is only counted.
    const linked = distinct(all.flat()).sort((a, b) => a - b);
    const nodes = linked.map((i) => pack.nodes[i] as Node);
    const edges = all.map(([a, b]): [number, number] => [linked.indexOf(a), linked.indexOf(b)]);
    const at = settle(nodes, edges);
    const most = Math.max(1, ...nodes.map((node) => node.size));
    const dots = nodes.map((node, i): Dot => {
      const degree = edges.filter(([a, b]) => a === i || b === i).length;
      const [x, y] = at[i] as [number, number];
      const url = new URL(node.page.split("/").map(encodeURIComponent).join("/"), base).href;
      return { name: node.title, url, x, y, step: 1, radius: node.size > 0 ? 4 + 8 * Math.sqrt(node.size / most) : Math.min(9, 3 + Math.sqrt(degree)) };
    });
    place.replaceChildren(drawing(dots, edges, "Pages of the pack and the links between them"));
    const alone = pack.nodes.length - nodes.length;
    if (alone > 0) place.append(text("p", "more", `${alone} without a link to another one ${alone === 1 ? "is" : "are"} not drawn.`));
    if (pack.more) place.append(text("p", "more", `${pack.more} more links are not drawn.`));
  } catch {
    place.replaceChildren(text("p", "sum", "The graph could not be loaded. Reload the page to try again."));
  }
}

/** Places for nodes: those that are linked near each other, all apart. The same for the same graph. */
function settle(nodes: Node[], edges: [number, number][]): [number, number][] {
  const count = nodes.length;
  const groups = distinct(nodes.map((node) => node.group));
  const at = nodes.map((node, i): [number, number] => {
    const angle = (2 * Math.PI * (groups.indexOf(node.group) + i / count)) / groups.length;
    const far = 0.4 + ((i * 0.618) % 1) * 0.6;
    return [Math.cos(angle) * far, Math.sin(angle) * far];
  });
  const apart = 0.9 / Math.sqrt(count);
  const rounds = count > 200 ? 120 : 250;
  for (let round = 0; round < rounds; round++) {
    const heat = 0.08 * (1 - round / rounds);
    const move = at.map((): [number, number] => [0, 0]);
    const push = (a: number, b: number, strength: (distance: number) => number): void => {
      const [p, q, m, n] = [at[a], at[b], move[a], move[b]] as [number, number][] as [[number, number], [number, number], [number, number], [number, number]];
      let dx = p[0] - q[0];
      const dy = p[1] - q[1];
      if (dx === 0 && dy === 0) dx = 1e-4 * (a - b);
      const distance = Math.hypot(dx, dy);
      const by = strength(distance) / distance;
      m[0] += dx * by;
      m[1] += dy * by;
      n[0] -= dx * by;
      n[1] -= dy * by;
    };
    for (let a = 0; a < count; a++) for (let b = 0; b < a; b++) push(a, b, (d) => (apart * apart) / d);
    for (const [a, b] of edges) push(a, b, (d) => -(d * d) / apart);
    at.forEach((p, i) => {
      const [x, y] = move[i] as [number, number];
      const pull = 0.6;
      const [mx, my] = [x - p[0] * pull, y - p[1] * pull];
      const length = Math.hypot(mx, my) || 1;
      const step = Math.min(length, heat);
      p[0] += (mx / length) * step;
      p[1] += (my / length) * step;
    });
  }
  return at;
}

/** Draws dots and lines. Every dot is a link. */
function drawing(dots: Dot[], lines: [number, number][], name: string): HTMLElement {
  const narrow = innerWidth < 640;
  const [width, height] = narrow ? [420, 460] : [900, 620];
  const reach = Math.max(...dots.map((dot) => Math.max(Math.abs(dot.x), Math.abs(dot.y))), 1e-6);
  const side = narrow ? 60 : 130;
  const place = (dot: Dot): [number, number] => [
    width / 2 + (dot.x / reach) * (width / 2 - side),
    height / 2 + (dot.y / reach) * (height / 2 - 26),
  ];
  const svg = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
  svg.setAttribute("class", "links");
  for (const [a, b] of lines) {
    const [from, to] = [dots[a], dots[b]];
    if (!from || !to) continue;
    const [x1, y1] = place(from);
    const [x2, y2] = place(to);
    svg.append(svgOf("line", { x1, y1, x2, y2 }));
  }
  // The names that fit are always shown, the others for the dot that is pointed at.
  const crowded = dots.length > (narrow ? 14 : 70);
  for (const dot of dots) {
    const [x, y] = place(dot);
    const link = svgOf("a", { href: dot.url, class: `s${dot.step}` });
    const label = svgOf("text", { x, y: y - dot.radius - 4 });
    label.textContent = dot.name.length > 30 ? `${dot.name.slice(0, 29)}…` : dot.name;
    if (dot.step > 0 && (crowded || (narrow && dot.step > 1))) label.setAttribute("class", "at");
    const full = svgOf("title", {});
    full.textContent = dot.name;
    link.append(full, svgOf("circle", { cx: x, cy: y, r: dot.radius }), label);
    svg.append(link);
  }
  const box = document.createElement("div");
  box.className = "drawing";
  box.append(svg);
  return box;
}

function svgOf(tag: string, values: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, typeof value === "number" ? value.toFixed(1) : value);
  return element;
}

function distinct<T>(list: T[]): T[] {
  return [...new Set(list)];
}

function text(tag: string, kind: string, words: string): HTMLElement {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.textContent = words;
  return element;
}

/** Shows the graph of a page in a dialog over it. */
export async function openGraph(base: URL, name: string): Promise<void> {
  let dialog = document.querySelector<HTMLDialogElement>("dialog.over");
  dialog?.remove();
  dialog = document.createElement("dialog");
  dialog.className = "over";
  dialog.setAttribute("aria-label", "Links around this page");
  const close = text("button", "quiet", "Close") as HTMLButtonElement;
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  const whole = text("a", "", "Graph of the pack") as HTMLAnchorElement;
  whole.href = new URL("graph.html", base).href;
  const head = text("p", "bar", "");
  head.append(whole, close);
  const place = document.createElement("div");
  dialog.append(head, place);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  await showAround(place, base, name);
}
