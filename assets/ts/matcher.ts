// The matcher over a whole index.bin: for scripts of a site's own.

import { Kernel, fetchChecked, type Dialect } from "./kernel";
import type { Answer } from "./answer";

/** A matcher over one index. Make one with open. */
export class Matcher {
  private constructor(
    private readonly kernel: Kernel,
    private readonly index: Uint8Array<ArrayBuffer>,
  ) {}

  /** Fetches and checks the module and the index, at the same time. */
  static async open(indexURL: string, indexSum: string): Promise<Matcher> {
    const [kernel, index] = await Promise.all([Kernel.open(), fetchChecked(indexURL, indexSum)]);
    return new Matcher(kernel, index);
  }

  /**
   * Scores every entry for a task, and for other wordings of it, and lists that many that load
   * and that many that do not; 0 is all.
   */
  detail(task: string, dialect: Dialect, min: number, limit: number, near: number, also: string[] = []): Answer {
    return this.kernel.detail(this.index, { task, also, dialect, min }, limit, near) as Answer;
  }

  /** The bytes that `packgen match --json` prints under "results". */
  results(task: string, dialect: Dialect, min: number, also: string[] = []): string {
    return this.kernel.results(this.index, { task, also, dialect, min });
  }
}
