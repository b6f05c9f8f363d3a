import { PLAIN, type Segment, type Style, hasControls, parseLine, plainLine } from "./ansi";

export type LineKind = "stdout" | "stderr" | "note";

export const MOST_LINES = 100_000;
// Lines are removed in pieces, so that the cost of a removal is shared by many lines.
const PIECE = 2_000;
// A longer line would make one element of megabytes.
export const LONGEST_LINE = 20_000;

/** The lines of a run, in arrays. Numbers of lines start with 1 and never change, also when the oldest ones are dropped. */
export class OutputBuffer {
  private texts: string[] = [];
  private kinds: LineKind[] = [];
  // The lines as they came and the styles with which they start; a line without colours holds its text twice, as one string.
  private raws: string[] = [];
  private starts: Style[] = [];
  private droppedLines = 0;
  private readonly styles: Record<string, Style> = { stdout: PLAIN, stderr: PLAIN };

  constructor(private readonly most = MOST_LINES) {}

  /** Number of the first line that is still held. */
  get first(): number {
    return this.droppedLines + 1;
  }

  /** Number of the last line, 0 if there is none. */
  get last(): number {
    return this.droppedLines + this.texts.length;
  }

  get length(): number {
    return this.texts.length;
  }

  get dropped(): number {
    return this.droppedLines;
  }

  append(kind: LineKind, raw: string): void {
    const line = raw.length > LONGEST_LINE ? `${raw.slice(0, LONGEST_LINE)}… (line cut after ${LONGEST_LINE} characters)` : raw;
    const start = this.styles[kind] ?? PLAIN;
    if (!hasControls(line)) {
      this.texts.push(line);
    } else {
      const { text, end } = plainLine(line, start);
      this.texts.push(text);
      if (kind !== "note") this.styles[kind] = end;
    }
    this.raws.push(line);
    this.starts.push(start);
    this.kinds.push(kind);
    if (this.texts.length >= this.most + PIECE) this.drop(this.texts.length - this.most);
  }

  text(number: number): string {
    return this.texts[number - this.first] ?? "";
  }

  kind(number: number): LineKind {
    return this.kinds[number - this.first] ?? "note";
  }

  segments(number: number): Segment[] {
    const at = number - this.first;
    return this.texts[at] ? parseLine(this.raws[at]!, this.starts[at]!).segments : [];
  }

  /** Returns the text of the lines `from` to `to`, both included. */
  slice(from: number, to: number): string {
    return this.texts.slice(Math.max(0, from - this.first), Math.max(0, to - this.first + 1)).join("\n");
  }

  /** Returns the number of the first line at or behind `from` for which the test holds, or undefined. */
  find(test: (text: string, kind: LineKind) => boolean, from = this.first): number | undefined {
    for (let at = Math.max(0, from - this.first); at < this.texts.length; at++) {
      if (test(this.texts[at]!, this.kinds[at]!)) return this.first + at;
    }
    return undefined;
  }

  private drop(count: number): void {
    for (const list of [this.texts, this.kinds, this.raws, this.starts]) list.splice(0, count);
    this.droppedLines += count;
  }
}
