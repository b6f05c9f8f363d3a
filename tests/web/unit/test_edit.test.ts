import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../web/dashboard/src/api/errors";
import { changesBetween } from "../../../web/dashboard/src/parts/differences";
import { jobsUsing } from "../../../web/dashboard/src/pages/tests/jobs_using";
import { fieldDifferences, rebased, scriptDifferences } from "../../../web/dashboard/src/pages/tests/test_conflict";
import type { Tag } from "../../../web/dashboard/src/pages/tags/tag_queries";
import type { Test } from "../../../web/dashboard/src/pages/tests/test_queries";
import {
  MOST_SCRIPT, NEW_TEST, type TestValues, bodyOf, bytesOf, errorsOf, fieldsChanged, refusedFields, sizeText, valuesOf,
} from "../../../web/dashboard/src/pages/tests/test_values";
import { languageOf, outcomeWords, readingOf, startScript, typeWord } from "../../../web/dashboard/src/pages/tests/test_words";

const tag = (id: string, name: string) => ({ id, name }) as Tag;
const TAGS = [tag("t1", "smoke"), tag("t2", "checkout")];
const saved = {
  id: "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70", title: "Pay by card", description: null, type: "browser", priority: "high", tags: TAGS,
} as unknown as Test;
const values = (part: Partial<TestValues> = {}): TestValues => ({ ...valuesOf(saved), ...part });
const refusal = (code: string, details: { field: string; message: string }[]) => new ApiError(409, code, "refused", "r", details);

test("A save of a test sends the members that changed, and no other ones", () => {
  const cases: [Partial<TestValues>, object, boolean][] = [
    [{}, {}, false],
    [{ title: " Pay by card " }, {}, false],
    [{ title: "Pay" }, { title: "Pay" }, true],
    [{ description: "  " }, {}, false],
    [{ description: "x" }, { description: "x" }, true],
    [{ type: "api", priority: "low" }, { type: "api", priority: "low" }, true],
    [{ tags: ["t2", "t1"] }, {}, false],
    [{ tags: ["t1"] }, {}, true],
  ];
  for (const [part, expected, changed] of cases) {
    assert.deepEqual(changesBetween(bodyOf(valuesOf(saved)), bodyOf(values(part))), expected);
    assert.equal(fieldsChanged(valuesOf(saved), values(part)), changed, JSON.stringify(part));
  }
});

test("A form of a test names each field that has to change", () => {
  assert.deepEqual(errorsOf(values(), MOST_SCRIPT), []);
  assert.deepEqual(errorsOf(NEW_TEST, 0).map((one) => one.id), ["test-title"]);
  const tags = Array.from({ length: 51 }, (_, at) => `t${at}`);
  const errors = errorsOf(values({ title: " ", tags }), MOST_SCRIPT + 1);
  assert.deepEqual(errors.map((one) => one.id), ["test-title", "test-tags", "test-script"]);
  const details = [{ field: "/title", message: "is too long" }, { field: "/jobs/01", message: "nightly" }];
  assert.deepEqual(refusedFields(refusal("validation_failed", details)), [{ id: "test-title", text: "Is too long." }]);
  assert.deepEqual(refusedFields(null), []);
});

test("A refused deletion names the jobs that use the test", () => {
  const details = [{ field: "/jobs/01", message: "nightly" }, { field: "/jobs/02", message: "weekly" }];
  assert.deepEqual(jobsUsing(refusal("test_in_use", details)), [{ id: "01", name: "nightly" }, { id: "02", name: "weekly" }]);
  assert.deepEqual(jobsUsing(refusal("not_found", details)), []);
  assert.deepEqual(jobsUsing(new Error("no answer")), []);
});

test("A conflict shows both versions of each field, and says which of them the user has changed", () => {
  const base = values();
  const theirs = values({ title: "Pay", priority: "low", tags: ["t1"] });
  const own = values({ title: "Pay by credit card", type: "api", tags: ["t1", "t9"] });
  assert.deepEqual(fieldDifferences(base, theirs, own, TAGS), [
    { field: "title", word: "Title", saved: "Pay", mine: "Pay by credit card", start: "mine" },
    { field: "type", word: "Type", saved: "Browser", mine: "API", start: "mine" },
    { field: "priority", word: "Priority", saved: "Low", mine: "High", start: "saved" },
    { field: "tags", word: "Tags", saved: "smoke", mine: "a deleted tag t9, smoke", start: "mine" },
  ]);
  assert.deepEqual(fieldDifferences(base, theirs, theirs, TAGS), []);
});

test("The own version keeps what only the other person has changed", () => {
  const base = values();
  const theirs = values({ title: "Pay", priority: "low", description: "theirs" });
  const own = values({ title: "Pay by credit card", tags: ["t1"] });
  assert.deepEqual(rebased(base, theirs, own), {
    title: "Pay by credit card", description: "theirs", type: "browser", priority: "low", tags: ["t1"],
  });
});

test("A conflict shows both versions of each place of the script, whatever its line ends", () => {
  assert.deepEqual(scriptDifferences("a\nb\nc\n", "a\nx\nc\nd\n"), [
    { change: { savedFrom: 1, savedTo: 2, ownFrom: 1, ownTo: 2 }, saved: ["b"], own: ["x"] },
    { change: { savedFrom: 3, savedTo: 3, ownFrom: 3, ownTo: 4 }, saved: [], own: ["d"] },
  ]);
  assert.deepEqual(scriptDifferences("a\r\nb\r\n", "a\nb\n"), []);
});

test("Scripts of each type have a language, a start and a way to read variables", () => {
  const cases = [
    ["browser", "typescript", "process.env.BASE_URL"], ["api", "typescript", "process.env.BASE_URL"],
    ["database", "typescript", "process.env.BASE_URL"], ["custom", "typescript", "process.env.BASE_URL"],
    ["performance", "typescript", "__ENV.BASE_URL"], ["command", "shell", "\"$BASE_URL\""],
  ] as const;
  for (const [type, language, reading] of cases) {
    assert.equal(languageOf(type), language, type);
    assert.equal(readingOf(type, "BASE_URL"), reading, type);
    assert.ok(startScript(type).endsWith("\n"), type);
  }
  assert.equal(typeWord("of a newer service"), "of a newer service");
  assert.equal(outcomeWords("Passed", null), "Passed");
  assert.match(outcomeWords("Failed", 16_000), /^Failed after 16\ss$/);
});

test("Sizes of scripts count bytes, not characters", () => {
  assert.equal(bytesOf("ü€🙂"), 9);
  assert.match(sizeText(614), /^0\.6 of 5\s120 KiB$/);
  assert.match(sizeText(MOST_SCRIPT), /^5\s120 of 5\s120 KiB$/);
});
