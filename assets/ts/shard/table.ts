// Which file holds which keys, and reading such a file.

import { Bytes } from "./bytes";

/** The first key of each file. */
export interface Table {
  readonly depth: number; // 0: the files hold keys; 1: more such tables, which name those that do
  readonly stems: string[] | null; // keys
  readonly names: string[] | null;
}

/** The file in which a key would be. */
export function nameFor(table: Table, key: string): string | undefined {
  const keys = table.stems ?? [];
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(keys[middle] ?? "", key) <= 0) low = middle + 1;
    else high = middle;
  }
  return table.names?.[Math.max(low - 1, 0)];
}

/** Compares texts as their bytes in UTF-8 do. */
function order(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = rank(a.charCodeAt(i));
    const y = rank(b.charCodeAt(i));
    if (x !== y) return x - y;
  }
  return a.length - b.length;
}

/** Halves of characters beyond the first plane come after all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** Reads a file of keys; value reads what is kept of one. */
export function readKeys<T>(data: Uint8Array, value: (key: string, r: Bytes) => T): Map<string, T> {
  const keys = new Map<string, T>();
  const r = new Bytes(data);
  const utf8 = new TextEncoder();
  let before = new Uint8Array();
  while (!r.done) {
    const same = r.number();
    const end = r.part();
    const bytes = new Uint8Array(same + end.end - end.at);
    bytes.set(before.subarray(0, same));
    bytes.set(data.subarray(end.at, end.end), same);
    const key = new TextDecoder().decode(bytes);
    before = utf8.encode(key);
    keys.set(key, value(key, r));
  }
  return keys;
}
