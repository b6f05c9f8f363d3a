import { findLinks } from "./links";
import type { LineKind, OutputBuffer } from "./output_buffer";
import { matchesIn } from "./search";

function link(text: string, href: string): HTMLAnchorElement {
  const element = document.createElement("a");
  element.href = href;
  element.target = "_blank";
  element.rel = "noopener noreferrer";
  element.append(text);
  return element;
}

interface Mark {
  start: number;
  end: number;
  href?: string;
}

/** Returns the pieces of a text between the edges of all ranges. */
function cuts(length: number, ranges: readonly Mark[]): number[] {
  const edges = new Set([0, length]);
  for (const range of ranges) edges.add(Math.min(range.start, length)).add(Math.min(range.end, length));
  return [...edges].sort((a, b) => a - b);
}

/** Fills the cell of a line with text nodes only: colours, links and matches of the search. */
export function fillLine(cell: HTMLElement, buffer: OutputBuffer, number: number, words: string): void {
  const text = buffer.text(number);
  const segments = buffer.segments(number);
  const links = text.includes("://") ? findLinks(text) : [];
  const hits = words ? matchesIn(text, words).map(([start, end]) => ({ start, end })) : [];
  if (cell.firstChild) cell.replaceChildren();
  if (!links.length && !hits.length && segments.length === 1 && !segments[0]!.classes) {
    cell.append(text);
    return;
  }
  let at = 0;
  for (const segment of segments) {
    const end = at + segment.text.length;
    const inside = (range: Mark) => ({ ...range, start: Math.max(range.start - at, 0), end: Math.max(range.end - at, 0) });
    const own = { links: links.map(inside), hits: hits.map(inside) };
    const edges = cuts(segment.text.length, [...own.links, ...own.hits]);
    const target = segment.classes ? document.createElement("span") : cell;
    if (target !== cell) {
      target.className = segment.classes;
      cell.append(target);
    }
    edges.slice(0, -1).forEach((start, index) => {
      const piece = segment.text.slice(start, edges[index + 1]);
      const holds = (range: Mark) => range.start <= start && start < range.end;
      const found = own.links.find(holds);
      let node: Node = found?.href ? link(piece, found.href) : document.createTextNode(piece);
      if (own.hits.some(holds)) {
        const mark = document.createElement("mark");
        mark.append(node);
        node = mark;
      }
      target.append(node);
    });
    at = end;
  }
}

// Lines of the runner come on stderr; those that announce a test are heads, and those of a passed one are calm.
const HEAD = /^\[svc-runner: test \d+ of \d+: /;
const CALM = /^\[svc-runner: test \d+ of \d+ (?:passed|skipped)\b/;

function lookOf(kind: LineKind, text: string): string {
  if (kind !== "stderr") return kind === "note" ? "note" : "";
  if (HEAD.test(text)) return "head";
  return CALM.test(text) ? "" : "err";
}

let pattern: HTMLLIElement | undefined;

function emptyLine(): HTMLLIElement {
  const item = document.createElement("li");
  for (const name of ["n", "t"]) {
    const cell = document.createElement("span");
    cell.className = name;
    item.append(cell);
  }
  return item;
}

/** Returns the element of a line. */
export function lineElement(buffer: OutputBuffer, number: number, words: string): HTMLLIElement {
  // A copy costs half of what single elements cost.
  const item = (pattern ??= emptyLine()).cloneNode(true) as HTMLLIElement;
  item.id = `L${number}`;
  const look = lookOf(buffer.kind(number), buffer.text(number));
  if (look) item.className = look;
  item.firstElementChild!.append(String(number));
  fillLine(item.lastElementChild as HTMLElement, buffer, number, words);
  return item;
}
