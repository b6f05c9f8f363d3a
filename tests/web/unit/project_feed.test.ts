import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, test } from "node:test";
import { ProjectFeed } from "../../../web/dashboard/src/api/project_feed";
import { Transport } from "../../../web/dashboard/src/api/transport";
import { type Answer, type TestServer, json, refusal, serve, until } from "./server";

let server: TestServer;
let feed: ProjectFeed | undefined;
afterEach(async () => {
  feed?.pause();
  feed = undefined;
  await server?.close();
});

const event = (name: string, value: unknown) => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const ready = event("ready", { bundle: "b1", asOf: "2026-11-20T10:11:12.345Z" });
const begin = (response: ServerResponse) => response.writeHead(200, { "Content-Type": "text/event-stream" });

async function follow(answer: Answer) {
  server = await serve(answer);
  const transport = new Transport({ sleep: async () => {} });
  const seen = { changes: [] as string[], live: [] as boolean[], bundles: [] as string[], pauses: [] as number[], degraded: 0 };
  feed = new ProjectFeed({
    open: (signal) => transport.open(new Request(`${server.origin}/dashboard/v1/events`, {
      signal, headers: { "Svc-Background": "1", "Svc-Project": "p", Accept: "text/event-stream" },
    })),
    onChange: ({ kinds }) => seen.changes.push(kinds ? [...kinds].sort().join(" ") : "all"),
    onLive: (live) => seen.live.push(live),
    onDegraded: () => void seen.degraded++,
    onBundle: (bundle) => seen.bundles.push(bundle),
    sleep: async (milliseconds) => void seen.pauses.push(milliseconds),
    random: () => 1,
  });
  feed.start();
  return seen;
}

test("Events name what to read again, and those of one piece are read once", async () => {
  const seen = await follow(async (_, response) => {
    begin(response).write(ready);
    await until(() => seen.changes.length === 1);
    response.write(
      event("runs", { changed: [{ id: "1", jobId: "2", status: "running" }], more: false }) +
      event("changed", { resource: "job", ids: ["2"], more: true }) + event("changed", { resource: "job", ids: ["3"], more: false }),
    );
  });
  await until(() => seen.changes.length === 2);
  assert.deepEqual(seen.changes, ["all", "job run"]);
  assert.deepEqual(seen.live, [true]);
  assert.deepEqual(seen.bundles, ["b1"]);
  assert.equal(server.requests[0]?.headers["svc-background"], "1");
});

test("A broken stream connects again, and everything is read after the next ready", async () => {
  const seen = await follow((_, response, number) => {
    begin(response).write(`retry: 200\n\n${ready}`, () => number === 1 && setTimeout(() => response.destroy(), 20));
  });
  await until(() => seen.changes.length === 2);
  assert.deepEqual(seen.changes, ["all", "all"]);
  assert.deepEqual(seen.live, [true, false, true]);
  assert.deepEqual(seen.pauses, [200]);
});

test("Pages poll while the feed is degraded, until the next ready", async () => {
  const seen = await follow(async (_, response) => {
    begin(response).write(ready);
    await until(() => seen.live.length === 1);
    response.write(event("degraded", {}));
    await until(() => seen.live.length === 2);
    response.write(ready);
  });
  await until(() => seen.live.length === 3);
  assert.deepEqual(seen.live, [true, false, true]);
  assert.deepEqual(seen.changes, ["all", "all"]);
  assert.equal(seen.degraded, 1);
  assert.equal(server.requests.length, 1);
});

test("A refusal decides when the next try comes", async () => {
  const cases: [string, number, string, Record<string, string>, number][] = [
    ["too many streams", 409, "stream_limit_reached", {}, 10_000],
    ["too many streams, with a time", 409, "stream_limit_reached", { "Retry-After": "7" }, 7_000],
    ["an earlier version", 404, "not_found", {}, 60_000],
    ["a lost role", 403, "forbidden", {}, 60_000],
    ["a store is away", 500, "internal", {}, 1_000],
  ];
  for (const [name, status, code, headers, expected] of cases) {
    const seen = await follow((_, response, number) =>
      number === 1 ? json(response, status, refusal(code), headers) : void begin(response).write(ready));
    await until(() => seen.changes.length === 1);
    assert.deepEqual(seen.pauses, [expected], name);
    assert.deepEqual(seen.live, [true], name);
    feed?.pause();
    await server.close();
  }
});

test("A pause ends the connection and lets pages read for themselves; a start opens another one", async () => {
  let closed = 0;
  const seen = await follow((_, response) => {
    begin(response).write(ready);
    response.on("close", () => closed++);
  });
  await until(() => seen.changes.length === 1);
  feed!.start();
  feed!.pause();
  feed!.pause();
  await until(() => closed === 1);
  assert.deepEqual(seen.live, [true, false]);
  feed!.start();
  await until(() => seen.changes.length === 2);
  assert.equal(server.requests.length, 2);
});

test("Events that this page does not know, and text that is no JSON, change nothing", async () => {
  const seen = await follow(async (_, response) => {
    begin(response).write(`${ready}${event("later", {})}event: changed\ndata: x\n\n${event("changed", { resource: 7 })}: heartbeat\n\n`);
    await until(() => seen.changes.length === 1);
    response.write(event("changed", { resource: "tag", ids: [], more: true }));
  });
  await until(() => seen.changes.length === 2);
  assert.deepEqual(seen.changes, ["all", "tag"]);
});
