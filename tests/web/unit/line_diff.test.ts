import assert from "node:assert/strict";
import { test } from "node:test";
import { type LineChange, MOST_EDITS, changedLines, placesText } from "../../../web/dashboard/src/pages/tests/script/line_diff";
import { lineChange, lineEndOf, textOf } from "../../../web/dashboard/src/pages/tests/script/line_ends";

const spans = (changes: readonly LineChange[]) =>
  changes.map((one) => `${one.savedFrom}-${one.savedTo} ${one.ownFrom}-${one.ownTo}`);

/** Puts the saved lines in place of the own ones, from the last place to the first. */
function takeAll(saved: readonly string[], own: readonly string[], changes: readonly LineChange[]): string[] {
  const lines = [...own];
  for (const one of [...changes].reverse()) lines.splice(one.ownFrom, one.ownTo - one.ownFrom, ...saved.slice(one.savedFrom, one.savedTo));
  return lines;
}

test("Two scripts differ in the lines that were changed, added or removed", () => {
  const cases: [string, string, string[]][] = [
    ["a b c", "a b c", []],
    ["", "", []],
    ["a b c", "a x c", ["1-2 1-2"]],
    ["a b c", "a c", ["1-2 1-1"]],
    ["a c", "a b c", ["1-1 1-2"]],
    ["a b c", "x a b c", ["0-0 0-1"]],
    ["a b c", "a b c x", ["3-3 3-4"]],
    ["a b c", "x y z", ["0-3 0-3"]],
    ["a b c d e", "a x c d y", ["1-2 1-2", "4-5 4-5"]],
    ["a a a", "a a", ["2-3 2-2"]],
    ["a b a b", "b a b a", ["0-1 0-0", "4-4 3-4"]],
  ];
  for (const [saved, own, expected] of cases) {
    assert.deepEqual(spans(changedLines(saved.split(" "), own.split(" "))), expected, `${saved} and ${own}`);
  }
});

test("The saved lines of all places give the saved script, for any two scripts", () => {
  let seed = 7;
  const random = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const lines = () => Array.from({ length: random(30) }, () => "abc"[random(3)]!);
  for (let round = 0; round < 500; round++) {
    const [saved, own] = [lines(), lines()];
    const changes = changedLines(saved, own);
    assert.deepEqual(takeAll(saved, own, changes), saved, `${saved.join()} and ${own.join()}`);
    assert.ok(changes.every((one, at) => at === 0 || one.ownFrom > changes[at - 1]!.ownTo || one.savedFrom > changes[at - 1]!.savedTo));
  }
});

test("Scripts without a common line, and very different ones, are one change", () => {
  const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at}`);
  for (const count of [MOST_EDITS / 2, 50_000]) {
    const [saved, own] = [numbered("a", count), numbered("b", count)];
    assert.deepEqual(spans(changedLines(["start", ...saved, "end"], ["start", ...own, "end"])), [`1-${count + 1} 1-${count + 1}`]);
  }
});

test("A sentence names one line, two lines or the number of places", () => {
  const at = (line: number): LineChange => ({ savedFrom: 0, savedTo: 1, ownFrom: line, ownTo: line + 1 });
  assert.equal(placesText([at(11)]), "line 12");
  assert.equal(placesText([at(2), at(11)]), "lines 3 and 12");
  assert.equal(placesText([at(1), at(2), at(3)]), "3 places");
});

test("Lines of the editor are replaced, added and removed at the start, in the middle and at the end", () => {
  const cases: [number, number, string[], string][] = [
    [0, 1, ["x"], "x b c"], [1, 2, ["x", "y"], "a x y c"], [2, 3, ["x"], "a b x"], [0, 3, ["x"], "x"],
    [0, 0, ["x"], "x a b c"], [1, 1, ["x"], "a x b c"], [3, 3, ["x"], "a b c x"],
    [0, 1, [], "b c"], [1, 2, [], "a c"], [2, 3, [], "a b"], [1, 3, [], "a"], [0, 3, [], ""],
  ];
  for (const [first, last, lines, expected] of cases) {
    const doc = textOf(["a", "b", "c"]);
    const { from, to, insert } = lineChange(doc, first, last, lines);
    assert.equal(doc.replace(from, to, insert).toString(), expected.split(" ").join("\n"), `${first} ${last} ${lines}`);
  }
});

test("A script keeps its line ends; mixed ones count as those of Unix", () => {
  const cases: [string, string][] = [
    ["", "\n"], ["a", "\n"], ["a\nb", "\n"], ["a\r\nb\r\n", "\r\n"], ["a\r\nb\nc", "\n"], ["\na\r\n", "\n"], ["a\rb", "\n"],
  ];
  for (const [text, expected] of cases) assert.equal(lineEndOf(text), expected, JSON.stringify(text));
});
