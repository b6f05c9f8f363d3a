import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, test } from "node:test";
import { RunStream, type RunEvent, type StreamState, isRepeated, positionOf } from "../../../web/dashboard/src/api/run_stream";
import { EventParser } from "../../../web/dashboard/src/api/sse";
import { Transport } from "../../../web/dashboard/src/api/transport";
import { type Answer, type TestServer, json, refusal, serve, until } from "./server";

let server: TestServer;
let stream: RunStream | undefined;
afterEach(async () => {
  stream?.close();
  stream = undefined;
  await server?.close();
});

const line = (id: string, text: string) => `id: ${id}\nevent: console\ndata: {"line":"${text}","stream":"stdout"}\n\n`;
const complete = (id: string) => `id: ${id}\nevent: complete\ndata: {"status":"passed"}\n\n`;
const begin = (response: ServerResponse) => response.writeHead(200, { "Content-Type": "text/event-stream" });

async function follow(answer: Answer) {
  server = await serve(answer);
  const transport = new Transport({ sleep: async () => {} });
  const seen = { events: [] as RunEvent[], states: [] as StreamState[] };
  stream = new RunStream({
    open: (lastEventId, signal) =>
      transport.open(new Request(`${server.origin}/stream`, {
        signal, headers: { "Svc-Background": "1", ...(lastEventId ? { "Last-Event-ID": lastEventId } : {}) },
      })),
    onEvents: (events) => seen.events.push(...events),
    onState: (state) => seen.states.push(state),
    sleep: async () => {},
    random: () => 0,
  });
  stream.start();
  return seen;
}

const lines = (events: RunEvent[]) => events.flatMap((event) => (event.type === "console" ? [event.line] : []));
const last = (states: StreamState[]) => states.at(-1)?.name;

test("A stream ends when the run is complete", async () => {
  const seen = await follow((_, response) => begin(response).end(line("1-1", "a") + line("1-2", "b") + complete("1-3")));
  await until(() => last(seen.states) === "complete");
  assert.deepEqual(lines(seen.events), ["a", "b"]);
  assert.deepEqual(seen.events.at(-1), { type: "complete", status: "passed" });
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]?.headers["svc-background"], "1");
});

test("A broken stream continues behind its last event, and no line is lost or repeated", async () => {
  const seen = await follow((request, response, number) => {
    begin(response);
    if (number === 1) response.write(line("1-1", "a") + line("1-2", "b"), () => setTimeout(() => response.destroy(), 20));
    else if (number === 2) response.destroy();
    // This instance sends an event again, which must not show twice.
    else response.end(line("1-2", "b") + line("1-3", "c") + complete("1-4"));
    if (number > 1) assert.equal(request.headers["last-event-id"], "1-2");
  });
  await until(() => last(seen.states) === "complete");
  assert.deepEqual(lines(seen.events), ["a", "b", "c"]);
  assert.ok(seen.states.some((state) => state.name === "lost"));
});

test("A pause ends the connection, and a start continues behind the last event", async () => {
  let closed = false;
  const seen = await follow((request, response, number) => {
    begin(response);
    if (number === 1) {
      response.write(line("1-1", "a"));
      response.on("close", () => (closed = true));
    } else {
      assert.equal(request.headers["last-event-id"], "1-1");
      response.end(line("1-2", "b") + complete("1-3"));
    }
  });
  await until(() => seen.events.length === 1);
  stream!.pause();
  await until(() => closed);
  assert.equal(last(seen.states), "paused");
  stream!.start();
  await until(() => last(seen.states) === "complete");
  assert.deepEqual(lines(seen.events), ["a", "b"]);
});

test("204 means that the page has everything", async () => {
  const seen = await follow((_, response) => response.writeHead(204).end());
  await until(() => last(seen.states) === "complete");
});

test("Too many streams make the page poll until one is free", async () => {
  const seen = await follow((_, response, number) =>
    number < 3 ? json(response, 409, refusal("stream_limit_reached")) : begin(response).end(complete("1-1")));
  await until(() => last(seen.states) === "complete");
  assert.ok(seen.states.some((state) => state.name === "polling"));
});

test("A run that does not exist is not asked for again", async () => {
  const seen = await follow((_, response) => json(response, 404, refusal("not_found")));
  await until(() => last(seen.states) === "failed");
  stream!.start();
  assert.equal(server.requests.length, 1);
});

test("Gaps, drops and unknown events do not end a stream", async () => {
  const seen = await follow((_, response) =>
    begin(response).end(
      'retry: 500\n\n: heartbeat\n\nid: 1-1\nevent: gap\ndata: {"after":"1-0","before":"1-9"}\n\n' +
        'id: 1-9\nevent: later\ndata: {}\n\nid: 1-10\nevent: console\ndata: not JSON\n\n' + complete("1-11"),
    ));
  await until(() => last(seen.states) === "complete");
  assert.deepEqual(seen.events, [{ type: "gap", after: "1-0", before: "1-9" }, { type: "complete", status: "passed" }]);
});

test("Ids are compared by attempt and number", () => {
  const cases: [string, string | undefined, boolean][] = [
    ["1-2", "1-1", false], ["1-10", "1-9", false], ["1-1", "1-1", true], ["1-1", "1-2", true], ["2-1", "1-99", false],
    ["1-99", "2-1", true], ["1-1", undefined, false], ["x", "1-1", false], ["", "1-1", false],
    ["1-", "1-1", false], ["-1", "1-1", false], ["1-1-1", "1-1", false], ["1-1x", "1-9", false], ["1-1", "9".repeat(16), false],
  ];
  for (const [id, previous, expected] of cases) {
    assert.equal(isRepeated(positionOf(id), positionOf(previous ?? "")), expected, `${id} after ${previous}`);
  }
});

test("Events are parsed however the text is cut", () => {
  const text = "\ufeff".slice(1) + 'id: 1-1\r\nevent: console\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: note\rdata:x\r\rretry: 1500\n\ndata\n\n';
  const whole = new EventParser().push(text);
  assert.deepEqual(whole, [
    { id: "1-1", event: "console", data: '{"a":\n1}' },
    { id: "1-1", event: "message", data: "x" },
    { id: "1-1", event: "message", data: "" },
  ]);
  for (let size = 1; size < text.length; size++) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
    assert.deepEqual(events, whole, `pieces of ${size}`);
    assert.equal(parser.retry, 1500);
  }
});

test("A line without an end is refused instead of held for ever", () => {
  const parser = new EventParser(100);
  assert.throws(() => parser.push("x".repeat(101)));
});
