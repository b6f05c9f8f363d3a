import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlLine, shellWord, svcLine } from "../../../web/dashboard/src/parts/api_lines";

test("A shell reads each word as exactly its text", () => {
  const texts = ["nightly", "two words", "it's", "$HOME `id` \\ \"x\" !", "-n", "a=b&c", "", "ünï €", "line\nbreak", "*?[a]~"];
  for (const text of texts) {
    assert.equal(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`]).toString(), text, text);
  }
  assert.equal(shellWord("/api/jobs/01934f2e-4444"), "/api/jobs/01934f2e-4444");
});

test("A line for curl has the filters that are set, and no secret", () => {
  const read = { method: "GET", path: "/api/jobs", query: { search: "a b&c", page: undefined, status: "", limit: 50 } } as const;
  assert.equal(
    curlLine("https://a.example", read),
    'curl --fail-with-body -H "Authorization: Bearer $SERVICE_TOKEN" \'https://a.example/api/jobs?search=a+b%26c&limit=50\'',
  );
  const write = { method: "PATCH", path: "/api/jobs/1", headers: { "If-Match": '"7"' }, body: { name: "it's" } } as const;
  assert.equal(
    curlLine("https://a.example", write),
    'curl --fail-with-body -X PATCH -H "Authorization: Bearer $SERVICE_TOKEN" -H \'If-Match: "7"\' '
      + "-H 'Content-Type: application/json' -d '{\"name\":\"it'\\''s\"}' https://a.example/api/jobs/1",
  );
});

test("A line for the client has its words and the options that are set", () => {
  assert.equal(svcLine(["job", "list"], { status: "failed", search: "a b", page: undefined, limit: 50 }),
    "svc job list --status failed --search 'a b' --limit 50");
  assert.equal(svcLine(["job", "trigger", "01934f2e", "--param", "KEY=$x"]), "svc job trigger 01934f2e --param 'KEY=$x'");
});
