// The match page: asks the matcher while the reader types and shows what it says. What is
// asked and changed is kept in the address, so that it can be passed on.

import { USUAL, dialectOf, type Detail } from "./answer";
import { Index, type Entry } from "./bench/index";
import { showAnswer, showOthers, type View } from "./bench/show";
import { changed, format, parse, pathOf, type Change, type State } from "./bench/state";
import { flash } from "./copy";
import { button, count, find, make } from "./dom";
import { Kernel, type Dialect, type Question } from "./kernel";
import { Matcher } from "./matcher";
import { ChangedError } from "./shard/files";

/** Modules that are loaded when they are used, beside this one. */
declare const EDIT_FILE: string;
declare const FENCED_FILE: string;

const FIRST = 20; // entries shown that a task loads, and how many more at once
const NEAR = 12; // near misses shown
const PAUSE = 60; // milliseconds of quiet before a question is asked
const LONG = 10_000; // characters of a task that are looked at

interface Engine {
  readonly kernel: Kernel;
  readonly index: Index;
}

/** What the modules know of the page. */
export interface Bench extends Engine {
  readonly state: () => State;
  /** Changes an entry, given its path; undefined takes the change back. */
  readonly change: (path: string, change: Change | undefined) => void;
  readonly edits: () => Promise<Map<number, Entry>>;
}

interface EditModule {
  unfold(bench: Bench, entry: Detail, room: HTMLElement): void;
  suite(bench: Bench, room: HTMLElement): Promise<void>;
}

interface FencedModule {
  show(base: URL, question: Question, budget: number, room: HTMLElement): Promise<void>;
}

/** The form, where its answer goes, and the matcher once it is loaded. */
class Page {
  private readonly form = find<HTMLFormElement>(document, "form.ask");
  private readonly task = find<HTMLTextAreaElement>(this.form, "textarea[name=task]");
  private readonly also = find<HTMLTextAreaElement>(this.form, "textarea[name=also]");
  private readonly threshold = find<HTMLInputElement>(this.form, "input[name=threshold]");
  private readonly budget = find<HTMLInputElement>(this.form, "input[name=budget]");
  private readonly spent = find<HTMLOutputElement>(this.form, "output");
  private readonly line = find(document, ".match .state");
  private readonly result = find(document, ".match .result");
  private readonly fenced = find<HTMLDetailsElement>(document, ".match .fenced");
  private readonly changes = find(document, ".match .changes");
  private readonly usual = dialectOf(this.form.dataset["dialect"]);
  private readonly base = new URL("..", new URL(this.form.dataset["index"] ?? "", location.href));
  private edited: State["changes"] = new Map();
  private engine: Promise<Engine> | undefined;
  private timer: number | undefined;
  private asked = 0;
  private most = FIRST;

  constructor() {
    this.listen();
  }

  /** Takes what is asked from the address. */
  restore(): void {
    const { question, budget, changes, context } = parse(location.hash, this.usual);
    this.task.value = question.task;
    this.also.value = question.also.join("\n");
    if (question.also.length > 0) find<HTMLDetailsElement>(this.form, "details.wordings").open = true;
    this.choose(question.dialect);
    this.threshold.value = String(question.min);
    this.budget.value = String(budget);
    this.edited = changes;
    this.most = FIRST;
    this.fenced.open = context;
    this.widen();
    if (this.task.value || changes.size > 0) void this.ask();
    else this.task.focus({ preventScroll: true });
    this.say();
  }

  private state(): State {
    return {
      question: { task: this.task.value.slice(0, LONG), also: this.also.value.split("\n").filter((text) => text.trim()), dialect: this.dialect(), min: this.minimum() },
      budget: this.budget.valueAsNumber,
      changes: this.edited,
      context: this.fenced.open,
    };
  }

  private listen(): void {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => {
      // Another dialect counts in other units: it starts from its own threshold.
      if (event.target instanceof HTMLInputElement && event.target.name === "dialect") {
        this.threshold.value = String(USUAL[this.dialect()]);
      }
      this.most = FIRST;
      this.say();
      this.later();
    });
    // A tap on the task or its first letter fetches the matcher. The focus does
    // not: the page sets it itself, and a visit alone should cost nothing.
    for (const use of ["pointerdown", "input"]) {
      this.task.addEventListener(use, () => void this.open().catch(() => undefined), { once: true });
    }
    addEventListener("hashchange", () => this.restore());
    const share = find<HTMLButtonElement>(this.form, "button.share");
    share.addEventListener("click", () => {
      this.remember();
      copy(share, location.href);
    });
    const evalCase = find<HTMLButtonElement>(this.form, "button.case");
    evalCase.addEventListener("click", () => void this.evalCase().then((text) => copy(evalCase, text), () => flash(evalCase, "Could not copy")));
    for (const example of document.querySelectorAll<HTMLButtonElement>(".match .examples button")) {
      example.addEventListener("click", () => {
        this.task.value = example.textContent ?? "";
        this.most = FIRST;
        void this.ask();
      });
    }
    this.fenced.addEventListener("toggle", () => {
      this.widen();
      this.remember();
      void this.showFenced();
    });
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), PAUSE);
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    this.remember();
    const n = ++this.asked;
    const state = this.state();
    void this.showFenced();
    try {
      if (state.changes.size > 0) await this.showChanges();
      else this.changes.replaceChildren();
      if (!state.question.task.trim()) {
        this.line.replaceChildren();
        this.result.replaceChildren();
        return;
      }
      const { kernel, index } = await this.open();
      const edits = await this.edits();
      const answer = await index.answer(kernel, state.question, this.most, NEAR, true, edits);
      if (n !== this.asked) return;
      const view = this.view(edits);
      showAnswer(answer, this.line, this.result, view);
      const missed = answer.entries.filter((entry) => !entry.included).length;
      if (missed >= NEAR) return;
      const others = await index.others(kernel, state.question, NEAR - missed, edits);
      if (n === this.asked) showOthers(others, this.result, view);
    } catch (error) {
      if (n === this.asked) this.fail(error);
    }
  }

  private view(edits: Map<number, Entry>): View {
    return {
      base: this.base,
      budget: this.budget.valueAsNumber,
      edited: (at) => edits.has(at),
      unfold: (entry, room) => void this.bench().then(async (bench) => (await edit()).unfold(bench, entry, room)).catch((error: unknown) => this.fail(error)),
      more: () => {
        this.most += FIRST;
        void this.ask();
      },
    };
  }

  /** Gives the context its room while it is open. */
  private widen(): void {
    document.documentElement.toggleAttribute("data-context", this.fenced.open);
  }

  /** The context beside the matches: more is loaded for it than for them, once it is opened. */
  private async showFenced(): Promise<void> {
    if (!this.fenced.open) return;
    const room = find(this.fenced, ".room");
    const { question, budget } = this.state();
    try {
      const module = (await import(new URL(FENCED_FILE, import.meta.url).href)) as FencedModule;
      await module.show(this.base, question, budget, room);
    } catch (error) {
      room.replaceChildren(this.fault(error));
    }
  }

  private async showChanges(): Promise<void> {
    const bench = await this.bench();
    await (await edit()).suite(bench, this.changes);
  }

  private async bench(): Promise<Bench> {
    return { ...(await this.open()), state: () => this.state(), change: (path, change) => this.change(path, change), edits: () => this.edits() };
  }

  private change(path: string, change: Change | undefined): void {
    this.edited = new Map(this.edited);
    if (change) this.edited.set(path, change);
    else this.edited.delete(path);
    this.later();
  }

  /** The edited entries by their places. */
  private async edits(): Promise<Map<number, Entry>> {
    const edits = new Map<number, Entry>();
    const { index } = await this.open();
    for (const [path, change] of this.edited) {
      const found = await index.find(path);
      if (found) edits.set(found.at, changed(await index.entry(found.at), change));
    }
    return edits;
  }

  /** Fetches the matcher and the root of the index once; after a failure the next question tries again. */
  private open(): Promise<Engine> {
    if (!this.engine) {
      if (this.task.value) this.line.textContent = "Loading the matcher…";
      this.engine = Promise.all([Kernel.open(), Index.open(this.base)]).then(([kernel, index]) => ({ kernel, index }));
      this.engine.catch(() => {
        this.engine = undefined;
      });
    }
    return this.engine;
  }

  private fail(error: unknown): void {
    this.line.replaceChildren(this.fault(error));
    this.result.replaceChildren();
  }

  private fault(error: unknown): HTMLElement {
    const said = error instanceof Error ? error.message : String(error);
    if (error instanceof ChangedError) {
      return make("span", "fault", `${said} `, button("quiet", "Reload", () => location.reload()));
    }
    const again = button("quiet", "Try again", () => void this.ask());
    if (typeof WebAssembly === "undefined") {
      return make("span", "fault", "This browser has no WebAssembly, which the matcher is. Run ", make("code", "", 'packgen match "your task"'), " in the repository instead.");
    }
    return make("span", "fault", `The matcher failed: ${said} `, again);
  }

  private remember(): void {
    history.replaceState(null, "", format(this.state(), this.usual) || location.pathname + location.search);
  }

  private say(): void {
    this.spent.textContent = `${count(this.budget.valueAsNumber)} tokens`;
  }

  /** The task as a case for evals/routing.yaml. */
  private async evalCase(): Promise<string> {
    const { kernel, index } = await this.open();
    const { question } = this.state();
    const answer = await index.answer(kernel, { ...question, also: [] }, 2, 1, true, await this.edits());
    const must = answer.entries.filter((entry) => entry.included);
    const lines = [`  - task: ${JSON.stringify(question.task.trim())}`];
    if (must.length > 0) lines.push("    must:", ...must.map((entry, i) => (i === 0 ? `      - {id: ${entry.id}, rank: 1}` : `      - ${entry.id}`)));
    return `${lines.join("\n")}\n`;
  }

  private dialect(): Dialect {
    const chosen = this.form.querySelector<HTMLInputElement>('input[name="dialect"]:checked');
    return dialectOf(chosen?.value);
  }

  private choose(dialect: Dialect): void {
    const box = this.form.querySelector<HTMLInputElement>(`input[name="dialect"][value="${dialect}"]`);
    if (box) box.checked = true;
  }

  private minimum(): number {
    const typed = this.threshold.valueAsNumber;
    return Number.isFinite(typed) ? typed : USUAL[this.dialect()];
  }
}

function edit(): Promise<EditModule> {
  return import(new URL(EDIT_FILE, import.meta.url).href) as Promise<EditModule>;
}

function copy(from: HTMLButtonElement, text: string): void {
  navigator.clipboard.writeText(text).then(
    () => flash(from, "Copied"),
    () => flash(from, "Could not copy"),
  );
}

if (document.querySelector("form.ask")) new Page().restore();

// They are there for those who import this module: scripts of a site's own, and
// the browser tests.
export { Index, Kernel, Matcher, pathOf };
