// The site without a network: a service worker that keeps the pages that were read, the
// newest of them where there is a network, and what every page loads.

export {};

/** What the worker keeps by, and the files that it keeps from the start; from the build. */
declare const OFFLINE_VERSION: string;
declare const OFFLINE_FILES: string[];

interface Waiting extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Asked extends Waiting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

const KEPT = `packgen-${OFFLINE_VERSION}`;
const MOST = 600; // answers that are kept
const root = new URL(".", location.href);

addEventListener("install", (event) => {
  (self as unknown as { skipWaiting(): void }).skipWaiting();
  (event as Waiting).waitUntil(caches.open(KEPT).then((kept) => kept.addAll(OFFLINE_FILES.map((file) => new URL(file, root).href))));
});

addEventListener("activate", (event) => {
  (event as Waiting).waitUntil(forgetOthers().then(keepOpenPages));
});

/** What another version has kept is of a site that is no longer there. */
async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("packgen-") && name !== KEPT).map((name) => caches.delete(name)));
}

/** The page that brought the worker was read too, although it was not asked of the worker. */
async function keepOpenPages(): Promise<void> {
  const { clients } = self as unknown as { clients: { matchAll(of: object): Promise<{ url: string }[]> } };
  const kept = await caches.open(KEPT);
  for (const page of await clients.matchAll({ type: "window", includeUncontrolled: true })) {
    const request = new Request(page.url);
    try {
      const now = await fetch(request);
      if (now.ok) await keep(kept, request, now);
    } catch {
      // The network is gone already: the next visit keeps the page.
    }
  }
}

addEventListener("fetch", (event) => {
  const asked = event as Asked;
  const url = new URL(asked.request.url);
  if (asked.request.method !== "GET" || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return;
  asked.respondWith(answer(asked.request, url.pathname.startsWith(`${root.pathname}assets/`)));
});

/** The newest answer, or the one that was kept. A file with a hash in its name never changes. */
async function answer(request: Request, fixed: boolean): Promise<Response> {
  const kept = await caches.open(KEPT);
  const before = await kept.match(request, { ignoreSearch: true });
  if (fixed && before) return before;
  try {
    const now = await fetch(request);
    if (now.ok && now.type === "basic") await keep(kept, request, now.clone());
    return now;
  } catch (error) {
    if (before) return before;
    throw error;
  }
}

async function keep(kept: Cache, request: Request, now: Response): Promise<void> {
  try {
    const url = new URL(request.url);
    url.search = "";
    url.hash = "";
    await kept.put(url.href, now);
    const all = await kept.keys();
    const old = all.filter((each) => !new URL(each.url).pathname.startsWith(`${root.pathname}assets/`));
    for (const each of old.slice(0, Math.max(0, all.length - MOST))) await kept.delete(each);
  } catch {
    // There is no room: the page is shown all the same.
  }
}
