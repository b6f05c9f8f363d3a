/** The look of text after SGR sequences. Objects are immutable; lines share them. */
export interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

export interface Segment {
  text: string;
  /** Class names of components.css. */
  classes: string;
}

export const PLAIN: Style = { colour: "", bold: false, dim: false, underline: false, inverse: false };

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** Returns the class of the colour among 16 that is nearest to an RGB value: theme colours keep their contrast. */
function nearest(red: number, green: number, blue: number): string {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most < 64 ? "a-black" : most < 150 ? "a-b-black" : most < 220 ? "a-white" : "a-b-white";
  const middle = (most + least) / 2;
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return `${most > 215 ? "a-b-" : "a-"}${NAMES[bits]}`;
}

/** Returns the class of a colour of the table of 256. */
function indexed(index: number): string {
  if (index < 8) return `a-${NAMES[index]}`;
  if (index < 16) return `a-b-${NAMES[index - 8]}`;
  if (index >= 232) return nearest(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Returns the style after one SGR sequence, whose parameters are the text between `ESC [` and `m`. Unknown ones change nothing. */
export function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((one) => (one === "" ? 0 : Number(one)));
  let next = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 0) next = PLAIN;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 7) next = { ...next, inverse: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code === 27) next = { ...next, inverse: false };
    else if (code >= 30 && code <= 37) next = { ...next, colour: `a-${NAMES[code - 30]}` };
    else if (code >= 90 && code <= 97) next = { ...next, colour: `a-b-${NAMES[code - 90]}` };
    else if (code === 39) next = { ...next, colour: "" };
    else if (code === 38 || code === 48 || code === 58) {
      const byte = (value: number | undefined) => value !== undefined && value >= 0 && value <= 255;
      let colour: string | undefined;
      if (codes[at + 1] === 5) {
        if (byte(codes[at + 2])) colour = indexed(codes[at + 2]!);
        at += 2;
      } else if (codes[at + 1] === 2) {
        const [red, green, blue] = codes.slice(at + 2, at + 5);
        if (byte(red) && byte(green) && byte(blue)) colour = nearest(red!, green!, blue!);
        at += 4;
      }
      // Backgrounds have no colours of the theme, so they are dropped.
      if (code === 38 && colour) next = { ...next, colour };
    }
  }
  return next;
}

// A line may not cost more than a few microseconds, so equal styles are one object (there are at most 272), and each knows what
// follows it.
const styles = new Map<string, Style>([[namesOf(PLAIN), PLAIN]]);
const followers = new WeakMap<Style, Map<string, Style>>();
const classes = new WeakMap<Style, string>();
const MOST_FOLLOWERS = 500;

function follow(style: Style, parameters: string): Style {
  let known = followers.get(style);
  if (!known) followers.set(style, (known = new Map()));
  let next = known.get(parameters);
  if (!next) {
    const made = applySgr(style, parameters);
    const names = namesOf(made);
    next = styles.get(names) ?? made;
    styles.set(names, next);
    if (known.size < MOST_FOLLOWERS) known.set(parameters, next);
  }
  return next;
}

function classesOf(style: Style): string {
  let found = classes.get(style);
  if (found === undefined) classes.set(style, (found = namesOf(style)));
  return found;
}

function namesOf(style: Style): string {
  const names = [style.colour];
  if (style.bold) names.push("a-bold");
  if (style.dim) names.push("a-dim");
  if (style.underline) names.push("a-underline");
  if (style.inverse) names.push("a-inverse");
  return names.filter(Boolean).join(" ");
}

// CSI, strings (OSC, DCS, APC, PM, SOS) up to BEL, ST or the end, other escapes, and control characters but the tab.
const ESCAPES =
  /\x1b\[([0-9:;<=>?]*)[ -/]*([@-~]?)|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;

/** True if the line has characters that are not shown as they are. */
export const hasControls = (line: string): boolean => CONTROLS.test(line);

export interface ParsedLine {
  segments: Segment[];
  /** The style with which the next line of the same stream starts. */
  end: Style;
}

/**
 * Parses one line: SGR sequences become classes, `\r` keeps the text after it as a terminal would show it at last, all other
 * escape sequences and control characters are dropped.
 */
export function parseLine(line: string, start: Style): ParsedLine {
  let style = start;
  let segments: Segment[] = [];
  let restart = false;
  const add = (text: string) => {
    if (!text) return;
    if (restart) {
      segments = [];
      restart = false;
    }
    const classes = classesOf(style);
    const last = segments.at(-1);
    if (last && last.classes === classes) last.text += text;
    else segments.push({ text, classes });
  };
  let at = 0;
  ESCAPES.lastIndex = 0;
  for (let found = ESCAPES.exec(line); found; found = ESCAPES.exec(line)) {
    add(line.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[0] === "\r") restart = true;
    else if (found[2] === "m" && !/[<=>?]/.test(found[1]!)) style = follow(style, found[1]!);
  }
  add(line.slice(at));
  return { segments, end: style };
}

export interface PlainLine {
  text: string;
  /** The style with which the next line of the same stream starts. */
  end: Style;
}

const ESCAPE = "\x1b";
// Control characters that end a run of visible text, but ESC and the tab.
const OTHER_CONTROLS = /[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f]/;

/** Returns the visible text of a line, as `parseLine` does, without its segments: most lines are never shown. */
export function plainLine(line: string, start: Style): PlainLine {
  let style = start;
  let text = "";
  let at = 0;
  for (let escape = line.indexOf(ESCAPE); escape >= 0; escape = line.indexOf(ESCAPE, at)) {
    let end = escape + 2;
    // Digits, `:` and `;` are the parameters of a colour.
    while (end < line.length && line.charCodeAt(end) >= 48 && line.charCodeAt(end) <= 59) end++;
    if (line[escape + 1] !== "[" || line[end] !== "m") return parsedPlain(line, start);
    style = follow(style, line.slice(escape + 2, end));
    text += line.slice(at, escape);
    at = end + 1;
  }
  text += line.slice(at);
  return OTHER_CONTROLS.test(text) ? parsedPlain(line, start) : { text, end: style };
}

function parsedPlain(line: string, start: Style): PlainLine {
  const { segments, end } = parseLine(line, start);
  return { text: segments.map((segment) => segment.text).join(""), end };
}

/** Returns the visible text of a line. */
export const visibleText = (line: string): string => plainLine(line, PLAIN).text;
