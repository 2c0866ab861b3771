// Reads numbers and texts of the files of the index.

const utf8 = new TextDecoder();

/** A reader of one file. What does not fit is an error. */
export class Bytes {
  constructor(
    readonly data: Uint8Array,
    public at = 0,
    readonly end = data.length,
  ) {}

  get done(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    const b = this.at < this.end ? this.data[this.at++] : undefined;
    if (b === undefined) throw new Error("a file of the index is damaged");
    return b;
  }

  number(): number {
    let n = 0;
    for (let scale = 1; scale < 2 ** 50; scale *= 128) {
      const b = this.byte();
      n += (b & 127) * scale;
      if (b < 128) return n;
    }
    throw new Error("a file of the index is damaged");
  }

  /** A part of the file, with its length in front. */
  part(): Bytes {
    const size = this.number();
    const from = this.at;
    if (from + size > this.end) throw new Error("a file of the index is damaged");
    this.at += size;
    return new Bytes(this.data, from, from + size);
  }

  /** A second reader of what is left. */
  again(): Bytes {
    return new Bytes(this.data, this.at, this.end);
  }

  text(): string {
    const part = this.part();
    return utf8.decode(this.data.subarray(part.at, part.end));
  }
}
