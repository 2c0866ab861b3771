// The match page: asks the matcher while the reader types and shows what it
// says. The task is kept in the address, so that a question can be passed on.

import { flash } from "./copy";
import { Matcher, USUAL, dialectOf, type Answer, type Dialect } from "./matcher";
import { showAnswer } from "./show";

const LIMIT = 200; // entries shown that one task loads
const NEAR = 12; // near misses shown
const PAUSE = 60; // milliseconds of quiet before a question is asked

function start(): void {
  const form = document.querySelector<HTMLFormElement>("form.ask");
  if (!form) return;
  const page = new Page(form);
  page.restore();
}

/** The form, where its answer goes, and the matcher once it is loaded. */
class Page {
  private readonly task: HTMLTextAreaElement;
  private readonly also: HTMLTextAreaElement;
  private readonly threshold: HTMLInputElement;
  private readonly state: HTMLElement;
  private readonly result: HTMLElement;
  private readonly index: string;
  private readonly sum: string;
  private matcher: Promise<Matcher> | undefined;
  private timer: number | undefined;

  constructor(private readonly form: HTMLFormElement) {
    this.task = find(form, "textarea[name=task]") as HTMLTextAreaElement;
    this.also = find(form, "textarea[name=also]") as HTMLTextAreaElement;
    this.threshold = find(form, "input[name=threshold]") as HTMLInputElement;
    this.state = find(document, ".match > .state");
    this.result = find(document, ".match > .result");
    this.index = new URL(form.dataset["index"] ?? "index.bin", location.href).href;
    this.sum = form.dataset["sum"] ?? "";
    this.listen();
  }

  /** Takes task and dialect from the address. */
  restore(): void {
    const wanted = new URLSearchParams(location.hash.slice(1));
    this.task.value = wanted.get("task") ?? "";
    this.also.value = wanted.getAll("also").join("\n");
    this.choose(dialectOf(wanted.get("dialect")));
    const threshold = wanted.get("min");
    if (threshold !== null && Number.isFinite(Number(threshold))) this.threshold.value = threshold;
    if (this.task.value) void this.ask();
    else this.task.focus({ preventScroll: true });
  }

  private listen(): void {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => {
      // Another dialect counts in other units: it starts from its own threshold.
      if (event.target instanceof HTMLInputElement && event.target.name === "dialect") {
        this.threshold.value = String(USUAL[this.dialect()]);
      }
      this.later();
    });
    // A tap on the task or its first letter fetches the matcher. The focus does
    // not: the page sets it itself, and a visit alone should cost nothing.
    for (const use of ["pointerdown", "input"]) {
      this.task.addEventListener(use, () => void this.open().catch(() => undefined), { once: true });
    }
    addEventListener("hashchange", () => this.restore());
    const share = find(this.form, "button.share") as HTMLButtonElement;
    share.addEventListener("click", () => {
      this.remember();
      navigator.clipboard.writeText(location.href).then(
        () => flash(share, "Copied"),
        () => flash(share, "Could not copy"),
      );
    });
    for (const button of document.querySelectorAll<HTMLButtonElement>(".match > .examples button")) {
      button.addEventListener("click", () => {
        this.task.value = button.textContent ?? "";
        void this.ask();
      });
    }
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), PAUSE);
  }

  private async ask(): Promise<void> {
    this.remember();
    if (!this.task.value.trim()) {
      this.state.replaceChildren();
      this.result.replaceChildren();
      return;
    }
    try {
      const matcher = await this.open();
      const answer: Answer = matcher.detail(this.task.value, this.dialect(), this.minimum(), LIMIT, NEAR, this.wordings());
      showAnswer(answer, this.state, this.result);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Fetches the matcher once; after a failure the next question tries again. */
  private open(): Promise<Matcher> {
    if (!this.matcher) {
      if (this.task.value) this.state.textContent = "Loading the matcher…";
      this.matcher = Matcher.open(this.index, this.sum);
      this.matcher.catch(() => {
        this.matcher = undefined;
      });
    }
    return this.matcher;
  }

  private fail(error: unknown): void {
    const fault = document.createElement("span");
    fault.className = "fault";
    fault.textContent = `The matcher failed: ${error instanceof Error ? error.message : String(error)}`;
    this.state.replaceChildren(fault);
    this.result.replaceChildren();
  }

  private remember(): void {
    const kept = new URLSearchParams();
    if (this.task.value) kept.set("task", this.task.value);
    for (const wording of this.wordings()) kept.append("also", wording);
    if (this.dialect() !== "coverage") kept.set("dialect", this.dialect());
    if (this.minimum() !== USUAL[this.dialect()]) kept.set("min", String(this.minimum()));
    const hash = kept.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  /** Other wordings of the task, one a line. */
  private wordings(): string[] {
    return this.also.value.split("\n").filter((line) => line.trim());
  }

  private dialect(): Dialect {
    const chosen = this.form.querySelector<HTMLInputElement>('input[name="dialect"]:checked');
    return dialectOf(chosen?.value);
  }

  private choose(dialect: Dialect): void {
    const box = this.form.querySelector<HTMLInputElement>(`input[name="dialect"][value="${dialect}"]`);
    if (box) box.checked = true;
    this.threshold.value = String(USUAL[dialect]);
  }

  private minimum(): number {
    const typed = this.threshold.valueAsNumber;
    return Number.isFinite(typed) ? typed : USUAL[this.dialect()];
  }
}

function find(where: ParentNode, selector: string): HTMLElement {
  const element = where.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

start();

// The matcher is there for those who import this module: scripts of a site's
// own, and the browser tests.
export { Matcher };
