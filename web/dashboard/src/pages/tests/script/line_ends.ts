import { Text } from "@codemirror/state";

/**
 * Returns the line ends of a script. A text with mixed ends counts as one with `\n`, so that each `\r` stays where it is and a
 * save changes only the lines that the user has changed.
 */
export const lineEndOf = (text: string): "\n" | "\r\n" => (/\r\n/.test(text) && !/(?:^|[^\r])\n/.test(text) ? "\r\n" : "\n");

export interface TextChange {
  from: number;
  to: number;
  insert: Text;
}

export const textOf = (lines: readonly string[]): Text => Text.of(lines);

/** Returns the change that replaces the lines `first` to before `last` of a text, counted from 0. */
export function lineChange(doc: Text, first: number, last: number, lines: readonly string[]): TextChange {
  if (lines.length > 0 && last > first) {
    return { from: doc.line(first + 1).from, to: doc.line(last).to, insert: textOf(lines) };
  }
  if (lines.length > 0) {
    const atEnd = first >= doc.lines;
    const at = atEnd ? doc.length : doc.line(first + 1).from;
    return { from: at, to: at, insert: textOf(atEnd ? ["", ...lines] : [...lines, ""]) };
  }
  if (last < doc.lines) return { from: doc.line(first + 1).from, to: doc.line(last + 1).from, insert: textOf([""]) };
  return { from: first > 0 ? doc.line(first).to : 0, to: doc.length, insert: textOf([""]) };
}
