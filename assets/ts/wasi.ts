// The few system calls that the Go runtime asks for. The matcher has no files,
// no arguments and no environment: it may read a clock, ask for random bytes
// and say what went wrong.

/** The module wants to end. It never should. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`the matcher ended with code ${code}`);
  }
}

const OK = 0;
const BAD_DESCRIPTOR = 8;
const NOT_SUPPORTED = 52;
const NANOSECONDS = 1_000_000;
const MAX_MESSAGE = 4096;

/** The import object for one instance; memory() gives its current memory. */
export function imports(memory: () => WebAssembly.Memory, module: WebAssembly.Module): WebAssembly.Imports {
  const view = (): DataView => new DataView(memory().buffer);
  let message = "";

  const known: Record<string, (...args: never[]) => number> = {
    args_sizes_get: none,
    environ_sizes_get: none,
    args_get: () => OK,
    environ_get: () => OK,
    sched_yield: () => OK,
    fd_close: () => OK,
    fd_fdstat_set_flags: () => OK,
    clock_time_get: (_id: number, _precision: bigint, out: number) => {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * NANOSECONDS)), true);
      return OK;
    },
    random_get: (at: number, size: number) => {
      const bytes = new Uint8Array(memory().buffer, at, size);
      const most = 65_536; // bytes that one call of getRandomValues gives
      for (let i = 0; i < size; i += most) crypto.getRandomValues(bytes.subarray(i, Math.min(size, i + most)));
      return OK;
    },
    fd_write: (fd: number, list: number, count: number, out: number) => {
      if (fd !== 1 && fd !== 2) return BAD_DESCRIPTOR;
      const data = view();
      let written = 0;
      for (let i = 0; i < count; i++) {
        const at = data.getUint32(list + 8 * i, true);
        const size = data.getUint32(list + 8 * i + 4, true);
        if (message.length < MAX_MESSAGE) message += new TextDecoder().decode(new Uint8Array(memory().buffer, at, size));
        written += size;
      }
      data.setUint32(out, written, true);
      return OK;
    },
    fd_fdstat_get: (fd: number, out: number) => {
      if (fd > 2) return BAD_DESCRIPTOR;
      new Uint8Array(memory().buffer, out, 24).fill(0);
      view().setUint8(out, 2); // a character device
      return OK;
    },
    fd_prestat_get: () => BAD_DESCRIPTOR,
    poll_oneoff: (_in: number, _out: number, _count: number, events: number) => {
      view().setUint32(events, 0, true);
      return OK;
    },
    proc_exit: (code: number) => {
      if (message) console.error(message);
      throw new Exit(code);
    },
  };

  function none(counts: number, sizes: number): number {
    const data = view();
    data.setUint32(counts, 0, true);
    data.setUint32(sizes, 0, true);
    return OK;
  }

  const calls: Record<string, WebAssembly.ImportValue> = {};
  for (const need of WebAssembly.Module.imports(module)) {
    if (need.kind === "function") calls[need.name] = known[need.name] ?? (() => NOT_SUPPORTED);
  }
  return { wasi_snapshot_preview1: calls };
}
