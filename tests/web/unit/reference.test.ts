import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  type Operation, hasOperationWords, piecesOf, readContract, searchGroups,
} from "../../../web/dashboard/src/pages/reference/contract";
import { exampleOf, exampleRequest, successOf } from "../../../web/dashboard/src/pages/reference/examples";
import { membersOf, rulesOf, typeText, variantsOf } from "../../../web/dashboard/src/pages/reference/schema_rows";
import { curlLine, svcRequest } from "../../../web/dashboard/src/parts/api_lines";

const document = JSON.parse(readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8"));
const contract = readContract(document);
const operations = [...contract.operations.values()];
const named = (id: string): Operation => contract.operations.get(id)!;

test("The reference has every operation of the document, once and in a group", () => {
  const ids = Object.values<Record<string, { operationId?: string }>>(document.paths)
    .flatMap((item) => Object.values(item).flatMap((one) => one.operationId ?? []));
  assert.deepEqual(contract.groups.flatMap((group) => group.operations.map((one) => one.id)).sort(), ids.sort());
  assert.ok(contract.groups.every((group) => group.name !== "" && group.description !== ""));
  for (const one of operations) {
    assert.ok(one.summary && one.description && successOf(one)?.description, one.id);
    assert.ok(one.answers.every((answer) => answer.errors.every((error) => error.sentence)), one.id);
  }
});

test("A search shows operations with the words in their names before those that only mention them", () => {
  assert.equal(searchGroups(contract.groups, ""), contract.groups);
  const found = searchGroups(contract.groups, "trigger");
  const jobs = found.find((group) => group.name === "Jobs")!.operations.map((one) => one.id);
  assert.ok(jobs.indexOf("trigger_job") < jobs.indexOf("delete_job"), jobs.join());
  assert.equal(found.flatMap((group) => group.operations).length, operations.filter((one) => hasOperationWords("trigger", one)).length);
});

test("Every operation has an example without gaps, which a shell reads", () => {
  const lines: string[] = [];
  for (const one of operations) {
    const request = exampleRequest(contract, one);
    assert.ok(!/[{}]/.test(request.path), `${one.id}: ${request.path}`);
    if (one.body?.media === "application/json") assert.notEqual(request.body, undefined, one.id);
    if (one.credentials.length === 0) assert.ok(!curlLine("https://a.example", request).includes("Authorization"), one.id);
    lines.push(curlLine("https://a.example", request), svcRequest(request));
  }
  execFileSync("sh", ["-n"], { input: lines.join("\n") });
  const made = exampleRequest(contract, named("create_tag"));
  assert.equal(svcRequest(made), `svc api POST /api/tags -d '${JSON.stringify(made.body)}'`);
  const id = (exampleOf(contract, successOf(named("get_tag"))!.schema) as { id: string }).id;
  assert.equal(svcRequest(exampleRequest(contract, named("get_tag"))), `svc api GET /api/tags/${id}`);
});

test("Members of all bodies and answers have a type, within the bound of a table", () => {
  for (const one of operations) {
    for (const schema of [one.body?.schema, ...one.answers.map((answer) => answer.schema)]) {
      if (!schema) continue;
      const shapes = variantsOf(contract, schema).map((variant) => variant.schema);
      for (const shape of shapes.length ? shapes : [schema]) {
        const rows = membersOf(contract, shape);
        assert.ok(rows.length < 200, one.id);
        assert.equal(new Set(rows.map((row) => row.name)).size, rows.length, one.id);
        for (const row of rows) assert.notEqual(row.type, "", `${one.id} ${row.name}`);
      }
    }
  }
  const rows = membersOf(contract, named("create_variable").body!.schema);
  assert.deepEqual(rows.map((row) => [row.name, row.type, row.required]), [
    ["key", "text", true], ["value", "text", true], ["isSecret", "true or false", false], ["description", "text or null", false],
  ]);
  assert.deepEqual(rows[2]!.rules, ["default false"]);
  assert.ok(membersOf(contract, successOf(named("list_tags"))!.schema!).some((row) => row.name === "data[].name"));
  assert.deepEqual(variantsOf(contract, named("create_monitor").body!.schema).map((one) => one.name), [
    "http_request", "website", "ping_host", "port_check", "dns", "heartbeat", "synthetic_test",
  ]);
});

test("Rules and types are words", () => {
  assert.deepEqual(rulesOf({ minLength: 1, maxLength: 255 }), ["1 to 255 characters"]);
  assert.deepEqual(rulesOf({ pattern: "^a$", "x-message": "must be a" }), ["must be a"]);
  assert.deepEqual(rulesOf({ minimum: 1, default: 20, maxItems: 5 }), ["at least 1", "at most 5 entries", "default 20"]);
  assert.deepEqual(rulesOf({ enum: ["a", "b"], const: 3 }), ["one of a, b", "always 3"]);
  assert.equal(typeText(contract, { type: "array", items: { type: "string" } }), "list of texts");
  assert.equal(typeText(contract, { type: ["string", "null"], format: "uuid" }), "text (uuid) or null");
  assert.equal(typeText(contract, {}), "any value");
});

test("Objects within themselves and broken references end", () => {
  const looped = readContract({
    paths: {}, components: { schemas: { Loop: { type: "object", properties: { next: { $ref: "#/components/schemas/Loop" } } } } },
  });
  assert.deepEqual(membersOf(looped, { $ref: "#/components/schemas/Loop" }).map((row) => row.name), ["next"]);
  assert.deepEqual(membersOf(looped, { $ref: "#/components/schemas/Missing" }), []);
  assert.equal(readContract({}).operations.size, 0);
});

test("Words find operations by name, path, text and parameter", () => {
  const found = (words: string) => operations.filter((one) => hasOperationWords(words, one)).map((one) => one.id);
  assert.equal(found("").length, operations.length);
  assert.deepEqual(found("PATCH /api/tags"), ["update_tag"]);
  assert.ok(found("recentResults").includes("get_monitor"));
  assert.deepEqual(found("no such words"), []);
});

test("Back quotes mark code, and nothing else is markup", () => {
  assert.deepEqual(piecesOf("Send `{\"a\": 1}` or <b>.`"), [
    { text: "Send ", code: false }, { text: '{"a": 1}', code: true }, { text: " or <b>.", code: false },
  ]);
});
