import type { OutputBuffer } from "./output_buffer";

// Lines are searched in blocks, each as one text in lower case, because one search in a long text is much quicker than many in
// short ones. Blocks are kept while the search is open.
const BLOCK = 1_000;

/** Searches the lines of one buffer. It remembers what the last search found, so that new lines cost only themselves. */
export class LineSearch {
  private readonly lower = new Map<number, string>();
  private words = "";
  private found: number[] = [];
  private searched = 0;

  constructor(private readonly buffer: OutputBuffer) {}

  /** Returns the numbers of the lines that hold the words, as plain text in any case. */
  find(words: string): readonly number[] {
    const wanted = words.toLowerCase();
    if (wanted !== this.words || !wanted) {
      this.words = wanted;
      this.found = [];
      this.searched = 0;
      if (!wanted) this.lower.clear();
    }
    const { first, last } = this.buffer;
    const from = Math.max(this.searched + 1, first);
    if (!wanted || (from > last && !(this.found[0]! < first))) return this.found;
    // A new array, because pages compare arrays by identity.
    const found = this.found.filter((number) => number >= first);
    for (let start = from; start <= last; ) {
      const end = Math.min((Math.floor((start - 1) / BLOCK) + 1) * BLOCK, last);
      this.block(start, end, wanted, found);
      start = end + 1;
    }
    this.searched = last;
    this.found = found;
    for (const block of this.lower.keys()) if (block * BLOCK < first) this.lower.delete(block);
    return found;
  }

  private block(start: number, end: number, wanted: string, found: number[]): void {
    const text = this.lowerText(start, end);
    let number = start;
    let lineStart = 0;
    for (let at = text.indexOf(wanted); at >= 0; ) {
      for (let feed = text.indexOf("\n", lineStart); feed >= 0 && feed < at; feed = text.indexOf("\n", lineStart)) {
        lineStart = feed + 1;
        number++;
      }
      found.push(number);
      const next = text.indexOf("\n", at);
      at = next < 0 ? -1 : text.indexOf(wanted, next);
    }
  }

  private lowerText(start: number, end: number): string {
    const block = Math.floor((start - 1) / BLOCK);
    const whole = start === block * BLOCK + 1 && end === (block + 1) * BLOCK;
    const known = whole ? this.lower.get(block) : undefined;
    if (known !== undefined) return known;
    const text = this.buffer.slice(start, end).toLowerCase();
    if (whole) this.lower.set(block, text);
    return text;
  }
}

/** Returns the places [start, end) of the words in a text. */
export function matchesIn(text: string, words: string): [number, number][] {
  if (!words) return [];
  const lower = text.toLowerCase();
  // Lower case may change the length of a text; places would then be wrong.
  if (lower.length !== text.length) return [];
  const wanted = words.toLowerCase();
  const places: [number, number][] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    places.push([at, at + wanted.length]);
  }
  return places;
}

/** Returns the match after `current`, or before it with a step of -1; it continues at the other end. */
export function stepMatch(matches: readonly number[], current: number | undefined, step: 1 | -1): number | undefined {
  if (!matches.length) return undefined;
  if (current === undefined) return step === 1 ? matches[0] : matches.at(-1);
  if (step === 1) return matches.find((number) => number > current) ?? matches[0];
  return matches.findLast((number) => number < current) ?? matches.at(-1);
}
