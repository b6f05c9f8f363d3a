import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { EarlyReads, type StartedRead } from "../../../web/dashboard/src/api/early_reads";
import { type TestServer, json, serve } from "./server";

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const LIST = "/api/jobs?limit=50&sort=name";
const started = (address: string, project = "", answer: StartedRead["answer"] = Promise.resolve(new Response("early"))): StartedRead =>
  ({ address, project, answer, startedAt: 1_000 });

interface More {
  method?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const request = (address: string, project = "", more: More = {}) => new Request(`https://a.example${address}`, {
  ...more, headers: { ...(project ? { "Svc-Project": project } : {}), ...more.headers },
});

test("An early answer is used once, by the read of the same address and project", async () => {
  const reads = new EarlyReads([started(LIST, "p-1"), started("/dashboard/v1/me")], () => 2_000);
  const others = [
    request(LIST), request(LIST, "p-2"), request("/api/jobs?limit=50", "p-1"), request(LIST, "p-1", { method: "POST" }),
    request(LIST, "p-1", { headers: { "If-None-Match": '"1"' } }), request("/api/runs?limit=50&sort=name", "p-1"),
  ];
  for (const other of others) assert.equal(reads.take(other), undefined, other.url);
  assert.equal(await (await reads.take(request("/api/jobs?sort=name&limit=50", "p-1")))?.text(), "early");
  assert.equal(reads.take(request(LIST, "p-1")), undefined);
  assert.ok(reads.take(request("/dashboard/v1/me")));
});

test("An answer of ten seconds ago is not shown", () => {
  for (const [now, used] of [[10_999, true], [11_000, false]] as const) {
    const reads = new EarlyReads([started(LIST, "p-1")], () => now);
    assert.equal(reads.take(request(LIST, "p-1")) !== undefined, used, String(now));
  }
});

test("A read is sent if no early one was started, or the service did not answer it", async () => {
  server = await serve((_, response) => json(response, 200, "sent"));
  const address = `${server.origin}/dashboard/v1/me`;
  const reads = new EarlyReads([started("/dashboard/v1/me", "", Promise.resolve(undefined))], () => 1_000);
  for (let round = 1; round <= 2; round++) {
    assert.equal(await (await reads.fetch(new Request(address))).json(), "sent");
    assert.equal(server.requests.length, round);
  }
});

test("An aborted read does not get an early answer", async () => {
  const stop = new AbortController();
  stop.abort(new Error("left the page"));
  const reads = new EarlyReads([started(LIST, "p-1")], () => 1_000);
  await assert.rejects(reads.fetch(request(LIST, "p-1", { signal: stop.signal })), /left the page/);
});
