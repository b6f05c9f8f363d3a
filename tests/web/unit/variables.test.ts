import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Variable } from "../../../web/dashboard/src/pages/variables/variable_queries";
import {
  MOST_DESCRIPTION, MOST_VALUE, NEW_VARIABLE, type VariableValues, bodyOf, changesOf, differencesOf, errorsOf, refersTo, shortValue,
  valuesOf, withSaved,
} from "../../../web/dashboard/src/pages/variables/variable_values";

interface Schema {
  pattern: string;
  properties: Record<string, { maxLength: number }>;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const { schemas } = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components;

const variable = (part: Partial<Variable>): Variable =>
  ({ id: "1", key: "URL", isSecret: false, description: null, createdAt: "", updatedAt: "", ...part });
const readable = variable({ value: "https://a.example" });
const secret = variable({ key: "PASSWORD", isSecret: true });
const wrong = (part: Partial<VariableValues>) => [...errorsOf({ ...NEW_VARIABLE, key: "URL", ...part }).keys()];

test("A name of a variable is what the contract takes, without the reserved ones", () => {
  for (const key of ["URL", "A", "A_9", "X".repeat(64), "X".repeat(65), "", "url", "9A", "A-B", "É", "_A"]) {
    assert.equal(wrong({ key }).length === 0, new RegExp(schemas.VariableKey!.pattern).test(key), key);
  }
  for (const key of ["PATH", "HOME", "ENV", "BASH_ENV", "NODE_OPTIONS", "SERVICE_URL", "SVC_X", "LD_PRELOAD"]) {
    assert.deepEqual(wrong({ key }), ["key"], key);
  }
  for (const key of ["PATHS", "MY_HOME", "ENVIRONMENT", "SERVICES", "LDAP"]) assert.deepEqual(wrong({ key }), [], key);
});

test("Values and descriptions have the bounds of the contract", () => {
  const { value, description } = schemas.CreateVariable!.properties;
  assert.deepEqual([value!.maxLength, description!.maxLength], [MOST_VALUE, MOST_DESCRIPTION]);
  assert.deepEqual(wrong({ value: "😀".repeat(MOST_VALUE) }), []);
  assert.deepEqual(wrong({ value: "x".repeat(MOST_VALUE + 1) }), ["value"]);
  assert.deepEqual(wrong({ description: "x".repeat(MOST_DESCRIPTION) }), []);
  assert.deepEqual(wrong({ description: "x".repeat(MOST_DESCRIPTION + 1) }), ["description"]);
  assert.deepEqual(wrong({ value: "" }), [], "an empty value is a value");
});

test("A form that nobody touched changes nothing, and a stored secret needs a value to become readable", () => {
  for (const one of [readable, secret]) assert.deepEqual(changesOf(bodyOf(valuesOf(one)), bodyOf(valuesOf(one))), {}, one.key);
  assert.deepEqual([...errorsOf({ ...valuesOf(secret), isSecret: false }).keys()], ["value"]);
  const opened = { ...valuesOf(secret), isSecret: false, kept: false, value: "open" };
  assert.deepEqual([...errorsOf(opened).keys()], []);
  assert.deepEqual(changesOf(bodyOf(valuesOf(secret)), bodyOf(opened)), { value: "open", isSecret: false });
});

test("A save sends a secret only if it was replaced", () => {
  const before = bodyOf(valuesOf(secret));
  const cases: [Partial<VariableValues>, object][] = [
    [{ description: "of the shop " }, { description: "of the shop" }], [{ key: " LOGIN" }, { key: "LOGIN" }],
    [{ kept: false, value: "new" }, { value: "new" }], [{ kept: false, value: "" }, { value: "" }],
  ];
  for (const [part, changes] of cases) assert.deepEqual(changesOf(before, bodyOf({ ...valuesOf(secret), ...part })), changes);
  const hidden = { ...valuesOf(readable), isSecret: true };
  assert.deepEqual(changesOf(bodyOf(valuesOf(readable)), bodyOf(hidden)), { isSecret: true });
});

test("A conflict shows both versions, and the text of no secret", () => {
  const base = bodyOf(valuesOf(secret));
  const mine = bodyOf({ ...valuesOf(secret), kept: false, value: "correct horse" });
  const saved = bodyOf(valuesOf({ ...secret, description: "theirs" }));
  const found = differencesOf({ base, saved, mine });
  assert.deepEqual(found.map((one) => [one.field, one.saved, one.mine, one.start]), [
    ["value", "the stored secret", "a new secret", "mine"], ["description", "theirs", "empty", "saved"],
  ]);
  assert.ok(!JSON.stringify(found).includes("correct horse"));
  const opened = differencesOf({ base, saved: bodyOf(valuesOf({ ...secret, isSecret: false, value: "open" })), mine: base });
  assert.deepEqual(opened.map((one) => [one.field, one.saved, one.mine]), [
    ["value", "open", "the stored secret"], ["isSecret", "no", "yes"],
  ]);
});

test("The saved value of a variable brings whether it is stored unseen", () => {
  const mine = { ...valuesOf(readable), value: "mine", description: "mine" };
  const saved = valuesOf({ ...readable, value: undefined, isSecret: true, description: "theirs" });
  assert.deepEqual(withSaved(mine, saved, ["value", "isSecret"]), { ...saved, description: "mine" });
  assert.deepEqual(withSaved(mine, saved, ["description"]), { ...mine, description: "theirs" });
});

test("A reference to a variable is found in settings, and an escaped one is none", () => {
  const cases: [string, boolean][] = [
    ["https://{{HOST}}/", true], [JSON.stringify({ headers: { "X-Host": "{{HOST}}" } }), true], ["{{HOSTS}}", false], ["{{HOST", false],
    ["{{{{HOST}}", false], ["HOST", false], ["{{host}}", false],
  ];
  for (const [text, found] of cases) assert.equal(refersTo(text, "HOST"), found, text);
});

test("A row shows the start of a value", () => {
  const cases: [string, string][] = [
    ["", ""], ["short", "short"], ["one\ntwo", "one…"], ["x".repeat(60), "x".repeat(60)], ["x".repeat(61), `${"x".repeat(60)}…`],
    ["😀".repeat(61), `${"😀".repeat(60)}…`],
  ];
  for (const [value, shown] of cases) assert.equal(shortValue(value), shown, value);
});
