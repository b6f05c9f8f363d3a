import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAIN, parseLine, plainLine, visibleText } from "../../../web/dashboard/src/output/ansi";
import { findLinks, safeLink } from "../../../web/dashboard/src/output/links";
import { BLOCK, BlockHeights, blocksAround, linesOfHash, nextBlocks } from "../../../web/dashboard/src/output/line_window";
import { LONGEST_LINE, OutputBuffer } from "../../../web/dashboard/src/output/output_buffer";
import { LineSearch, matchesIn, stepMatch } from "../../../web/dashboard/src/output/search";

const ESC = "\x1b";
const shown = (line: string) => parseLine(line, PLAIN).segments.map((one) => [one.text, one.classes]);

test("SGR sequences become classes", () => {
  const cases: [string, [string, string][]][] = [
    ["plain", [["plain", ""]]],
    [`${ESC}[31mred${ESC}[0m plain`, [["red", "a-red"], [" plain", ""]]],
    [`${ESC}[1;4;92mok`, [["ok", "a-b-green a-bold a-underline"]]],
    [`${ESC}[2mdim${ESC}[22m x`, [["dim", "a-dim"], [" x", ""]]],
    [`${ESC}[7minv${ESC}[27m x`, [["inv", "a-inverse"], [" x", ""]]],
    [`${ESC}[mx`, [["x", ""]]],
    [`${ESC}[31m${ESC}[39mx`, [["x", ""]]],
    [`${ESC}[38;5;1mx`, [["x", "a-red"]]],
    [`${ESC}[38;5;12mx`, [["x", "a-b-blue"]]],
    [`${ESC}[38;5;196mx`, [["x", "a-b-red"]]],
    [`${ESC}[38;2;0;200;0mx`, [["x", "a-green"]]],
    [`${ESC}[38:2:250:250:0mx`, [["x", "a-b-yellow"]]],
    [`${ESC}[38;2;128;128;128mx`, [["x", "a-b-black"]]],
    [`${ESC}[41mx`, [["x", ""]]],
    [`${ESC}[48;5;1;32mx`, [["x", "a-green"]]],
    [`${ESC}[38;5mx`, [["x", ""]]],
    [`${ESC}[38;9;1;2mx`, [["x", "a-dim a-bold"]]],
    [`a${ESC}[31mb${ESC}[31mc`, [["a", ""], ["bc", "a-red"]]],
  ];
  for (const [line, expected] of cases) {
    const found = shown(line).map(([text, classes]) => [text, classes!.split(" ").sort().join(" ")]);
    assert.deepEqual(found, expected.map(([text, classes]) => [text, classes.split(" ").sort().join(" ")]), JSON.stringify(line));
  }
});

test("A carriage return keeps the last text, and other escapes and control characters are dropped", () => {
  const cases: [string, string][] = [
    ["10%\r50%\r100%", "100%"], ["text\r", "text"], ["a\rb\r", "b"], ["\r\r", ""], ["a\tb", "a\tb"],
    [`${ESC}[2J${ESC}[Hx`, "x"], [`${ESC}]0;title\x07x`, "x"], [`${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
    [`${ESC}Pq#0${ESC}\\x`, "x"], [`${ESC}(Bx`, "x"], [`${ESC}[?25lx`, "x"], ["a\x07b\x00c\x9bd", "abcd"], [`x${ESC}`, "x"],
    [`x${ESC}[3`, "x"], [`x${ESC}]0;no end`, "x"], ["<b>&amp;", "<b>&amp;"],
  ];
  for (const [line, expected] of cases) assert.equal(visibleText(line), expected, JSON.stringify(line));
});

test("Any bytes are parsed", () => {
  let seed = 7;
  const random = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  const pieces = [ESC, "[", "]", "m", ";", "38", "5", "\r", "\x07", "\\", "a", "\u202e", "😀", "\ud800", "\x9b", "P"];
  for (let round = 0; round < 3000; round++) {
    const line = Array.from({ length: random(20) }, () => pieces[random(pieces.length)]).join("");
    const { segments, end } = parseLine(line, PLAIN);
    assert.deepEqual(plainLine(line, PLAIN), { text: segments.map((one) => one.text).join(""), end }, JSON.stringify(line));
    assert.ok(segments.every((one) => one.text && !/[\x1b\r\x07]/.test(one.text)), JSON.stringify(line));
  }
});

test("Links are http and https only", () => {
  const cases: [string, string[]][] = [
    ["see https://a.example/x.", ["https://a.example/x"]],
    ["(http://a.example/b_(c))", ["http://a.example/b_(c)"]],
    ["https://a.example:8443/?a=1&b=2#c, next", ["https://a.example:8443/?a=1&b=2#c"]],
    ["javascript:alert(1) data:text/html,x file:///etc/passwd ftp://a", []],
    ["https:// http://", []],
    ["xhttps://a.example", []],
    ['<a href="https://a.example">', ["https://a.example"]],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(findLinks(text).map((one) => text.slice(one.start, one.end)), expected, text);
  }
  for (const address of ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "//a.example", "https://"]) {
    assert.equal(safeLink(address), undefined, address);
  }
});

test("A style holds over lines of the same stream", () => {
  const buffer = new OutputBuffer();
  buffer.append("stdout", `${ESC}[31mred`);
  buffer.append("stderr", "plain");
  buffer.append("stdout", "still red");
  buffer.append("stdout", `${ESC}[0mplain`);
  assert.deepEqual([1, 2, 3, 4].map((number) => buffer.segments(number)[0]?.classes), ["a-red", "", "a-red", ""]);
  assert.equal(buffer.slice(1, 3), "red\nplain\nstill red");
});

test("The oldest lines are dropped beyond the bound, and numbers stay", () => {
  const buffer = new OutputBuffer(100);
  for (let number = 1; number <= 5000; number++) buffer.append("stdout", `${ESC}[3${number % 8}mline ${number}`);
  assert.ok(buffer.length >= 100 && buffer.length < 2100);
  assert.equal(buffer.last, 5000);
  assert.equal(buffer.text(5000), "line 5000");
  assert.equal(buffer.text(buffer.first), `line ${buffer.first}`);
  assert.equal(buffer.segments(buffer.first)[0]?.text, `line ${buffer.first}`);
  assert.equal(buffer.text(1), "");
  assert.equal(buffer.dropped, buffer.first - 1);
});

test("A line of megabytes is cut", () => {
  const buffer = new OutputBuffer();
  buffer.append("stdout", "x".repeat(1_000_000));
  assert.ok(buffer.text(1).length < LONGEST_LINE + 100);
});

test("Search finds plain text in any case over all lines", () => {
  const buffer = new OutputBuffer();
  for (const text of ["Error: a.b", "fine", `${ESC}[31mER${ESC}[1mROR${ESC}[0m`, "a?b"]) buffer.append("stdout", text);
  const search = new LineSearch(buffer);
  const cases: [string, number[]][] = [["error", [1, 3]], ["a.b", [1]], ["", []], ["fine", [2]], ["none", []], ["e", [1, 2, 3]]];
  for (const [words, expected] of cases) assert.deepEqual(search.find(words), expected, words);
  assert.deepEqual(matchesIn("aXax", "ax"), [[0, 2], [2, 4]]);
  assert.deepEqual(matchesIn("abc", ""), []);
});

test("A search that stays open finds lines that come, and forgets those that are dropped", () => {
  const buffer = new OutputBuffer(3_000);
  const search = new LineSearch(buffer);
  const expected = () => {
    const found = [];
    for (let number = buffer.first; number <= buffer.last; number++) if (/ODD|\b7\b/i.test(buffer.text(number))) found.push(number);
    return found;
  };
  for (let number = 1; number <= 12_000; number++) {
    buffer.append("stdout", number % 500 === 1 ? `odd and odd ${number}` : `line ${number}`);
    if (number % 777 === 0) {
      assert.deepEqual(search.find("Odd"), expected().filter((one) => one % 500 === 1), `after ${number}`);
      assert.equal(search.find("Odd"), search.find("odd"));
    }
  }
  assert.ok(buffer.first > 1);
});

test("Search goes forth and back and around the ends", () => {
  const matches = [3, 7, 9];
  const cases: [number | undefined, 1 | -1, number][] = [
    [undefined, 1, 3], [undefined, -1, 9], [3, 1, 7], [9, 1, 3], [5, 1, 7], [3, -1, 9], [8, -1, 7],
  ];
  for (const [current, step, expected] of cases) assert.equal(stepMatch(matches, current, step), expected);
  assert.equal(stepMatch([], 3, 1), undefined);
});

test("A search finds one line among 100 000", () => {
  const buffer = new OutputBuffer();
  for (let number = 0; number < 100_000; number++) buffer.append("stdout", `  → step ${number} of the load test answered in 41 ms`);
  assert.equal(new LineSearch(buffer).find("STEP 99999 ").length, 1);
});

test("Blocks around the view are mounted", () => {
  const heights = new BlockHeights();
  const height = BLOCK * 21;
  const blocks = 500;
  const lines = blocks * BLOCK;
  const around = (top: number, margin: number) => blocksAround(heights, lines, top, top + 0.9 * height, margin);
  assert.deepEqual(around(0, 0), { from: 0, to: 1 });
  assert.deepEqual(around(0, height), { from: 0, to: 2 });
  const middle = around(250 * height, height);
  assert.ok(middle.from <= 249 && middle.to >= 252 && middle.to - middle.from <= 5, JSON.stringify(middle));
  assert.equal(around(499.2 * height, height).to, blocks);
  assert.deepEqual(around(1e9, 0), { from: blocks - 1, to: blocks });
  assert.deepEqual(blocksAround(heights, 0, 0, 800, height), { from: 0, to: 0 });
});

test("The view is mounted at once, and blocks around it come and go some at a time", () => {
  const cases: [string, [number, number], [number, number], [number, number], [number, number]][] = [
    ["the first time", [0, 0], [0, 100], [0, 1], [0, 5]],
    ["on the way to all lines", [0, 5], [0, 100], [0, 1], [0, 9]],
    ["both sides", [40, 48], [0, 100], [41, 43], [36, 52]],
    ["back to the view", [0, 100], [90, 101], [96, 101], [16, 101]],
    ["far away", [0, 5], [998, 1006], [1001, 1002], [998, 1006]],
    ["done", [4, 8], [4, 8], [5, 6], [4, 8]],
    ["fewer lines", [0, 40], [0, 2], [0, 1], [0, 24]],
  ];
  for (const [name, now, wanted, view, expected] of cases) {
    const range = ([from, to]: [number, number]) => ({ from, to });
    assert.deepEqual(nextBlocks(range(now), range(wanted), range(view)), range(expected), name);
  }
});

test("Measured blocks improve the estimate of the others", () => {
  const heights = new BlockHeights();
  const estimate = BLOCK * 21;
  assert.equal(heights.has(0), false);
  heights.set(0, 2 * estimate);
  heights.set(0, 2 * estimate);
  assert.equal(heights.has(0), true);
  assert.equal(heights.height(1), 2 * estimate);
  assert.equal(heights.sum(0, 2, 1.5 * BLOCK), 3 * estimate);
  heights.clear();
  assert.equal(heights.height(0), estimate);
});

test("A hash names lines", () => {
  const cases: [string, [number, number] | undefined][] = [
    ["#L120", [120, 120]], ["#L120-140", [120, 140]], ["#L120-L140", [120, 140]], ["L7", [7, 7]], ["#L140-120", [120, 140]],
    ["#L0", undefined], ["#x", undefined], ["#L1-", undefined], ["", undefined],
  ];
  for (const [hash, expected] of cases) assert.deepEqual(linesOfHash(hash), expected, hash);
});
