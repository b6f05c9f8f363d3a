import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlLine, secretVariables, shellWord, svcLine, svcRequest } from "../../../web/dashboard/src/parts/api_lines";

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

test("A body with secrets comes by stdin, and a shell puts the values of variables into it", () => {
  const request = {
    method: "POST", path: "/api/monitors",
    body: { name: "it's $HOME", config: { auth: { password: "hunter2" }, headers: { "X-Api-Key": "correct horse" }, count: 2 } },
    secrets: ["/config/auth/password", "/config/headers/X-Api-Key"],
  } as const;
  const environment = { PASSWORD: "p a's$s", HEADER_X_API_KEY: "k`id`" };
  for (const [tool, line] of [["curl", curlLine("https://a.example", request)], ["svc", svcRequest(request)]] as const) {
    assert.ok(!line.includes("hunter2") && !line.includes("correct horse"), line);
    const printed = execFileSync("sh", ["-c", `${tool}() { cat; }; ${line}`], { env: { ...process.env, ...environment } }).toString();
    assert.deepEqual(JSON.parse(printed), {
      name: "it's $HOME", config: { auth: { password: "p a's$s" }, headers: { "X-Api-Key": "k`id`" }, count: 2 },
    });
  }
  assert.match(curlLine("https://a.example", request), /^printf %s '.*' \| curl .* -d @- https:\/\/a\.example\/api\/monitors$/);
  assert.match(svcRequest(request), /^printf %s '.*' \| svc api POST \/api\/monitors -d -$/);
});

test("Each secret has a variable of its own, whose name a shell takes", () => {
  const pointers = ["/config/webhookUrl", "/config/token", "/config/headers/X-Key", "/config/headers/x_key", "/config/headers/7"];
  assert.deepEqual([...secretVariables(pointers).values()], ["WEBHOOK_URL", "TOKEN", "HEADER_X_KEY", "HEADER_X_KEY_2", "HEADER_7"]);
});

test("A request without words of the client is sent as it is", () => {
  assert.equal(svcRequest({ method: "GET", path: "/api/notification-providers/1/usage", query: { a: "b c", none: undefined } }),
    "svc api GET '/api/notification-providers/1/usage?a=b+c'");
  assert.equal(svcRequest({ method: "PATCH", path: "/api/jobs/1", headers: { "If-Match": '"7"' }, body: { name: "it's" } }),
    "svc api PATCH /api/jobs/1 -H 'If-Match: \"7\"' -d '{\"name\":\"it'\\''s\"}'");
});
