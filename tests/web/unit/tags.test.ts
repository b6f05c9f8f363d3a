import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { MOST_TAGS_OF_PROJECT, differencesOf, nameError, pageOfTags, usersText } from "../../../web/dashboard/src/pages/tags/tag_values";
import type { Tag } from "../../../web/dashboard/src/pages/tags/tag_queries";
import { changesBetween } from "../../../web/dashboard/src/parts/differences";

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const { TagName } = (JSON.parse(contract) as { components: { schemas: Record<string, { pattern: string }> } }).components.schemas;
const most = /"A project has at most (\d+) tags/.exec(contract)![1];

const tag = (name: string): Tag => ({ id: name, name, color: "#808080", createdAt: "", updatedAt: "" });
const tagsOf = (count: number) => Array.from({ length: count }, (_, at) => tag(`tag-${at + 1}`));

test("A name of a tag is what the contract takes, without the spaces around it", () => {
  const names = ["smoke", "A_b-9", "x".repeat(40), "x".repeat(41), "", "two words", "é", "a/b", "a.b"];
  for (const name of names) assert.equal(nameError(name) === undefined, new RegExp(TagName!.pattern).test(name), name);
  assert.equal(nameError(" smoke "), undefined);
  assert.equal(String(MOST_TAGS_OF_PROJECT), most);
});

test("A page has a hundred tags at most, and links to its neighbours", () => {
  const cases: [number, number | undefined, number, boolean, boolean][] = [
    [0, undefined, 0, false, false], [1, undefined, 1, false, false], [100, undefined, 100, false, false],
    [101, undefined, 100, false, true], [101, 2, 1, true, false], [200, 2, 100, true, false], [101, 3, 0, true, false],
  ];
  for (const [count, page, rows, before, after] of cases) {
    const found = pageOfTags(tagsOf(count), undefined, page);
    assert.deepEqual([found.rows.length, Boolean(found.previous), Boolean(found.next)], [rows, before, after], `${count} ${page}`);
    assert.equal(found.pagination.total, count);
  }
  assert.deepEqual(pageOfTags(tagsOf(101), undefined, 2).previous, {});
  assert.deepEqual(pageOfTags(tagsOf(101), undefined, 1).next, { page: "2" });
});

test("Words find a tag of any page", () => {
  const found = pageOfTags([...tagsOf(150), tag("needle")], "NEED");
  assert.deepEqual(found.rows.map((one) => one.name), ["needle"]);
  assert.equal(found.pagination.total, 1);
});

test("A deletion names the first users of a tag and counts the others", () => {
  assert.equal(usersText("test", { names: [], total: 0 }), undefined);
  assert.equal(usersText("test", { names: ["smoke"], total: 1 }), "1 test loses it: smoke.");
  assert.equal(usersText("monitor", { names: ["a", "b"], total: 2 }), "2 monitors lose it: a, b.");
  assert.equal(usersText("test", { names: ["a", "b"], total: 7 }), "7 tests lose it: a, b and 5 more.");
});

test("Two versions of a tag start with the own one only where the edit changed it", () => {
  const base = { name: "smoke", color: "#000000" };
  const differences = differencesOf({ base, saved: { name: "fumes", color: "#00ff00" }, mine: { name: "smoke", color: "#ff0000" } });
  assert.deepEqual(differences.map((one) => [one.field, one.saved, one.mine, one.start]), [
    ["name", "fumes", "smoke", "saved"], ["color", "#00ff00", "#ff0000", "mine"],
  ]);
  assert.deepEqual(differencesOf({ base, saved: base, mine: base }), []);
});

test("A save sends the members that differ, and none that the form leaves alone", () => {
  const before = { name: "smoke", list: [1, 2], note: null as string | null, value: "x" as string | undefined };
  assert.deepEqual(changesBetween(before, { ...before }), {});
  assert.deepEqual(changesBetween(before, { name: "smoke", list: [2, 1], note: "n", value: undefined }), { list: [2, 1], note: "n" });
});
