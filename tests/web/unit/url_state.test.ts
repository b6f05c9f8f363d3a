import assert from "node:assert/strict";
import { test } from "node:test";
import {
  linkQuery, oneOf, pageOf, parseQuery, queryText, returnPath, textOf, uuidOf, wholeOf,
} from "../../../web/dashboard/src/parts/url_state";

test("A query is parsed and written in one form", () => {
  assert.deepEqual(parseQuery("?b=2&a=x+y&c=&b=3"), { b: "3", a: "x y" });
  assert.equal(queryText({ b: 2, a: "x y", c: undefined, d: "" }), "?a=x+y&b=2");
  assert.equal(queryText({}), "");
  assert.deepEqual(parseQuery(queryText({ search: "ä & b=c" })), { search: "ä & b=c" });
});

test("Values that are not allowed count as absent", () => {
  const raw = { status: "failed", bad: "x", page: "2", zero: "0", id: "01934F2E-7C1A-7D3E-9B1F-5A2C8E4D6F70", text: "  a  ", list: [1] };
  assert.equal(oneOf(raw, "status", ["passed", "failed"]), "failed");
  assert.equal(oneOf(raw, "bad", ["passed"]), undefined);
  assert.equal(wholeOf(raw, "page", 1, 9), 2);
  assert.equal(wholeOf(raw, "zero", 1, 9), undefined);
  assert.equal(wholeOf({ page: "2e1" }, "page", 1, 99), undefined);
  assert.equal(uuidOf(raw, "id"), "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
  assert.equal(uuidOf(raw, "bad"), undefined);
  assert.equal(textOf(raw, "text"), "a");
  assert.equal(textOf(raw, "list"), undefined);
  assert.equal(textOf({ text: "x".repeat(256) }, "text"), undefined);
});

test("A cursor comes with its page only", () => {
  assert.deepEqual(pageOf({ page: "3", cursor: "c" }), { page: 3, cursor: "c" });
  assert.deepEqual(pageOf({ page: "1", cursor: "c" }), {});
  assert.deepEqual(pageOf({ cursor: "c" }), {});
});

test("Links of a page are found by relation", () => {
  const header = '</api/runs?page=1>; rel="first", </api/runs?cursor=eyJ0&page=3>; rel="next"';
  assert.deepEqual(linkQuery(header, "next"), { cursor: "eyJ0", page: "3" });
  assert.equal(linkQuery(header, "prev"), undefined);
  assert.equal(linkQuery(null, "next"), undefined);
});

test("A sign-in returns to pages of this application only", () => {
  const cases: [string | null | undefined, string | undefined][] = [
    ["/app/acme/shop/jobs?status=failed", "/app/acme/shop/jobs?status=failed"], ["/app/", "/app/"], ["/app", undefined],
    ["//evil.example/app/", undefined], ["/app//evil.example", undefined], ["/app/\\evil.example", undefined],
    ["https://evil.example/app/", undefined], ["javascript:alert(1)", undefined], [null, undefined], ["", undefined],
  ];
  for (const [path, expected] of cases) assert.equal(returnPath(path), expected, String(path));
});
