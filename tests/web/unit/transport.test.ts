import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { createPublicClient } from "../../../web/api/client";
import { BodyCache } from "../../../web/dashboard/src/api/body_cache";
import { NetworkError, errorOf, retryAfterOf, withoutWait } from "../../../web/dashboard/src/api/errors";
import { SignInPrompt } from "../../../web/dashboard/src/api/sign_in_prompt";
import { Transport } from "../../../web/dashboard/src/api/transport";
import { type Answer, type TestServer, json, refusal, serve, until } from "./server";

let server: TestServer;
const pauses: number[] = [];
const noSleep = async (milliseconds: number) => void pauses.push(milliseconds);

afterEach(async () => {
  pauses.length = 0;
  await server.close();
});

async function start(answer: Answer, options: ConstructorParameters<typeof Transport>[0] = {}) {
  server = await serve(answer);
  return new Transport({ sleep: noSleep, ...options });
}

const get = (path = "/api/jobs", headers: Record<string, string> = {}) => new Request(server.origin + path, { headers });
const post = (body: string, headers: Record<string, string> = {}) =>
  new Request(`${server.origin}/api/jobs`, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });

test("A client sends its project with each request", async () => {
  const transport = await start((_, response) => json(response, 200, { data: [], pagination: {} }));
  const client = createPublicClient({ origin: server.origin, send: transport.send, project: "p-1" });
  const { data, error } = await client.GET("/api/jobs", { params: { query: { status: "failed" } } });
  assert.equal(error, undefined);
  assert.deepEqual(data?.data, []);
  assert.equal(server.requests[0]?.headers["svc-project"], "p-1");
  assert.equal(server.requests[0]?.url, "/api/jobs?status=failed");
});

test("A second read sends the ETag, and a 304 gives the stored body", async () => {
  const transport = await start((request, response) => {
    if (request.headers["if-none-match"] === '"1-a"') response.writeHead(304, { ETag: '"1-a"' }).end();
    else json(response, 200, { name: "nightly" }, { ETag: '"1-a"' });
  });
  for (let round = 0; round < 2; round++) {
    const response = await transport.send(get());
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { name: "nightly" });
    assert.equal(response.headers.get("ETag"), '"1-a"');
  }
  assert.equal(server.requests[1]?.headers["if-none-match"], '"1-a"');
});

test("Stored bodies of two projects stay apart", async () => {
  const transport = await start((request, response) => json(response, 200, request.headers["svc-project"], { ETag: '"1-a"' }));
  await transport.send(get("/api/jobs", { "Svc-Project": "a" }));
  const response = await transport.send(get("/api/jobs", { "Svc-Project": "b" }));
  assert.equal(await response.json(), "b");
  assert.equal(server.requests[1]?.headers["if-none-match"], undefined);
});

test("The cache holds 50 bodies, and the least recently used one leaves", () => {
  const cache = new BodyCache();
  for (let number = 0; number < 50; number++) cache.set(`${number}`, { etag: "", body: "", headers: [] });
  cache.get("0");
  cache.set("50", { etag: "", body: "", headers: [] });
  assert.equal(cache.size, 50);
  assert.ok(cache.get("0"));
  assert.equal(cache.get("1"), undefined);
});

test("A request with a rotated secret is repeated once, with its body", async () => {
  const transport = await start((_, response, number) =>
    number === 1 ? json(response, 401, refusal("session_rotated")) : json(response, 201, {}));
  const response = await transport.send(post('{"name":"a"}'));
  assert.equal(response.status, 201);
  assert.deepEqual(server.requests.map((one) => one.body), ['{"name":"a"}', '{"name":"a"}']);
});

test("A secret that is rotated again is an error", async () => {
  const transport = await start((_, response) => json(response, 401, refusal("session_rotated")));
  assert.equal((await transport.send(get())).status, 401);
  assert.equal(server.requests.length, 2);
});

for (const [status, code, reason] of [
  [401, "session_ended", "ended"], [401, "session_expired", "ended"], [401, "session_invalid", "ended"],
  [401, "session_required", "ended"], [403, "fresh_sign_in_required", "fresh"],
] as const) {
  test(`${code} asks for a sign-in, and the write is repeated with every typed word`, async () => {
    const prompt = new SignInPrompt();
    const transport = await start((_, response, number) =>
      number === 1 ? json(response, status, refusal(code)) : json(response, 201, {}), { signIn: prompt.ask });
    const sent = transport.send(post('{"name":"typed"}'));
    await until(() => prompt.open() !== undefined);
    assert.equal(prompt.open()?.reason, reason);
    prompt.settle(true);
    assert.equal((await sent).status, 201);
    assert.equal(server.requests[1]?.body, '{"name":"typed"}');
  });
}

test("All requests of an ended session wait for one dialog", async () => {
  const prompt = new SignInPrompt();
  let signedIn = false;
  let dialogs = 0;
  const transport = await start((_, response) =>
    signedIn ? json(response, 200, {}) : json(response, 401, refusal("session_ended")), { signIn: prompt.ask });
  prompt.subscribe(() => prompt.open() && dialogs++);
  const sent = [1, 2, 3].map((number) => transport.send(get(`/api/jobs/${number}`)));
  await until(() => server.requests.length === 3 && prompt.open() !== undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  signedIn = true;
  prompt.settle(true);
  assert.deepEqual((await Promise.all(sent)).map((response) => response.status), [200, 200, 200]);
  assert.equal(dialogs, 1);
});

test("A dialog that is closed gives the refusal to the page", async () => {
  const transport = await start((_, response) => json(response, 403, refusal("fresh_sign_in_required")), {
    signIn: async () => false,
  });
  const response = await transport.send(post("{}"));
  assert.equal(response.status, 403);
  assert.equal((await response.json()).code, "fresh_sign_in_required");
  assert.equal(server.requests.length, 1);
});

test("A transport without sign-in gives session errors to the caller", async () => {
  const transport = await start((_, response) => json(response, 401, refusal("session_required")), {
    signIn: () => assert.fail("asked"),
  });
  assert.equal((await transport.withoutSignIn().send(get())).status, 401);
});

test("A read waits for Retry-After and is tried three times", async () => {
  const transport = await start((_, response) => json(response, 503, refusal("overloaded"), { "Retry-After": "2" }));
  assert.equal((await transport.send(get())).status, 503);
  assert.equal(server.requests.length, 3);
  assert.deepEqual(pauses, [2000, 2000]);
});

test("A read succeeds when the service is back", async () => {
  const transport = await start((_, response, number) =>
    number < 3 ? json(response, 429, refusal("rate_limited"), { "Retry-After": "1" }) : json(response, 200, {}));
  assert.equal((await transport.send(get())).status, 200);
});

test("A long Retry-After is left to the page", async () => {
  const transport = await start((_, response) => json(response, 429, refusal("rate_limited"), { "Retry-After": "60" }));
  assert.equal((await transport.send(get())).status, 429);
  assert.equal(server.requests.length, 1);
});

test("A write is not repeated on its own", async () => {
  const transport = await start((_, response) => json(response, 503, refusal("unavailable"), { "Retry-After": "1" }));
  assert.equal((await transport.send(post("{}"))).status, 503);
  assert.equal(server.requests.length, 1);
});

test("A write under an Idempotency-Key is repeated with the same key", async () => {
  const transport = await start((_, response, number) =>
    number === 1 ? json(response, 503, refusal("unavailable"), { "Retry-After": "1" }) : json(response, 202, {}));
  assert.equal((await transport.send(post("{}", { "Idempotency-Key": "k-1" }))).status, 202);
  assert.deepEqual(server.requests.map((one) => one.headers["idempotency-key"]), ["k-1", "k-1"]);
});

test("A read whose connection breaks is repeated; a write is an error", async () => {
  const transport = await start((request, response, number) => {
    if (number === 1 || request.method === "POST") response.destroy();
    else json(response, 200, {});
  });
  assert.equal((await transport.send(get())).status, 200);
  await assert.rejects(transport.send(post("{}")), NetworkError);
  assert.equal(server.requests.length, 3);
});

test("At most four requests are in flight, and a stream does not count", async () => {
  let open = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const transport = await start(async (request, response) => {
    if (request.url === "/stream") return void response.writeHead(200).flushHeaders();
    most = Math.max(most, ++open);
    await new Promise<void>((resolve) => held.push(resolve));
    open--;
    json(response, 200, {});
  });
  const sent = Array.from({ length: 9 }, (_, number) => transport.send(get(`/api/jobs/${number}`)));
  await until(() => held.length === 4);
  assert.equal((await transport.open(get("/stream"))).status, 200);
  while (server.requests.length < 10 || held.length) {
    held.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(sent);
  assert.equal(most, 4);
});

test("An aborted request is not repeated", async () => {
  const transport = await start((_, response) => response.destroy());
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(transport.send(new Request(get(), { signal: controller.signal })), { name: "AbortError" });
  assert.equal(pauses.length, 0);
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");
  const cases: [string | undefined, number | undefined][] = [
    ["7", 7], ["0", 0], ["Fri, 20 Nov 2026 10:00:30 GMT", 30], ["Fri, 20 Nov 2026 09:00:00 GMT", 0], ["soon", undefined],
    ["-1", undefined], [undefined, undefined],
  ];
  for (const [value, expected] of cases) {
    assert.equal(retryAfterOf(new Headers(value === undefined ? {} : { "Retry-After": value }), now), expected, value);
  }
});

test("A read with no-cache sends no ETag, because an ETag leaves out members that pass by themselves", async () => {
  let uses = 0;
  const transport = await start((_, response) => json(response, 200, { uses: ++uses }, { ETag: '"1-a"' }));
  for (let round = 0; round < 2; round++) await transport.send(get("/api/cli-tokens/1", { "Cache-Control": "no-cache" }));
  assert.deepEqual(server.requests.map((one) => one.headers["if-none-match"]), [undefined, undefined]);
});

test("A refusal says the time to wait, and not the header that has it", () => {
  const cases: [string, string | undefined, string, string][] = [
    ["The service is busy; retry after the time in Retry-After.", "3", "The service is busy; try again in 3 s.", "The service is busy."],
    ["Too many requests; wait for the seconds in Retry-After.", undefined, "Too many requests; try again later.", "Too many requests."],
    ["The queue is full; retry after the time in Retry-After, or cancel runs.", "5", "The queue is full; try again in 5 s, or cancel runs.",
      "The queue is full; try again in 5 s, or cancel runs."],
    ["The name is taken.", "5", "The name is taken.", "The name is taken."],
  ];
  for (const [error, seconds, message, short] of cases) {
    const made = errorOf(new Response("", { status: 503, headers: seconds ? { "Retry-After": seconds } : {} }), { error });
    assert.equal(made.message, message);
    assert.equal(withoutWait(made.message), short);
  }
});
