// Shows what leads agents to the splits of a page: keywords, patterns, how each is loaded,
// and which tasks of the evals load it. It is loaded when the switch of the splits is on.

import { Index, isWhole, type Entry, type Located, type Task } from "./bench/index";
import { pathOf } from "./bench/state";
import { count, counted, make } from "./dom";

const TASKS = 5; // shown of one split

let opened: Promise<[Index, Task[]]> | undefined;

/** Puts below each mark what leads to its split. */
export async function show(article: HTMLElement, files: [HTMLElement, URL][], base: URL): Promise<void> {
  if (article.dataset["routed"] !== undefined) return;
  article.dataset["routed"] = "";
  try {
    opened ??= Index.open(base).then(async (index): Promise<[Index, Task[]]> => [index, await index.tasks()]);
    const [index, tasks] = await opened;
    const boxes = await Promise.all(
      files.map(async ([, file]) => {
        const found = await index.find(pathOf(decodeURIComponent(file.pathname.slice(base.pathname.length))));
        return found ? routed(await index.entry(found.at), found, tasks, base) : make("div", "routed", "No entry leads to it.");
      }),
    );
    // All at once, in the room that the stylesheet keeps for them.
    files.forEach(([mark], i) => put(article, mark, boxes[i] as HTMLElement));
    article.dataset["routed"] = "shown";
  } catch (error) {
    opened = undefined;
    delete article.dataset["routed"];
    article.querySelector(".routed.fault")?.remove();
    const said = error instanceof Error ? error.message : String(error);
    article.prepend(make("p", "routed fault", `${said} Turn the switch off and on to try again.`));
  }
}

function put(article: HTMLElement, mark: HTMLElement, box: HTMLElement): void {
  if (mark === article) article.prepend(box);
  else mark.after(box);
}

function routed(entry: Entry, { tasks }: Located, all: Task[], base: URL): HTMLElement {
  const words = make("div", "words");
  for (const word of entry.keywords) words.append(make("span", "word", word));
  for (const word of entry.patterns) if (!isWhole(word)) words.append(make("span", "word pattern", word));
  if (words.childElementCount === 0) words.append("no keywords");
  words.append(make("small", "", `${entry.priority}, ${count(entry.tokens_est)} tokens`));
  const box = make("div", "routed", words);
  const loads = tasks.flatMap((n) => all[n] ?? []);
  if (all.length === 0) return box;
  if (loads.length === 0) {
    box.append(make("p", "", "No task of the evals loads it."));
    return box;
  }
  box.append(make("p", "", `${counted(loads.length, "task of the evals loads", "tasks of the evals load")} it:`));
  const list = make("ul", "");
  for (const task of loads.slice(0, TASKS)) {
    const link = make("a", "", task.task);
    link.href = new URL(`match.html#${new URLSearchParams({ task: task.task, dialect: task.dialect })}`, base).href;
    list.append(make("li", "", link));
  }
  if (loads.length > TASKS) list.append(make("li", "", `${count(loads.length - TASKS)} more`));
  box.append(list);
  return box;
}
