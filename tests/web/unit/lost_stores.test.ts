import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIRM_PAUSE, HEALTH_PAUSE, LostStores, type Store } from "../../../web/dashboard/src/api/lost_stores";
import { Transport } from "../../../web/dashboard/src/api/transport";
import { json, refusal, serve, until } from "./server";

type Answer = readonly Store[] | "none";

/** Follows the answers of the service in turn; the last one is repeated. */
function follow(answers: readonly Answer[]) {
  const seen = { asked: 0, shown: [] as string[], pauses: [] as number[], back: 0, visible: true };
  const stores = new LostStores({
    ask: async () => {
      const answer = answers[Math.min(seen.asked++, answers.length - 1)]!;
      if (answer === "none") throw new Error("no answer");
      return answer;
    },
    isVisible: () => seen.visible,
    onBack: () => seen.back++,
    sleep: async (milliseconds) => {
      seen.pauses.push(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  stores.subscribe(() => seen.shown.push(stores.current().join(" ")));
  return { stores, seen };
}

test("A lost store is shown until the service has said twice that all are back", async () => {
  const { stores, seen } = follow([["redis"], [], ["redis"], [], []]);
  stores.suspect();
  await until(() => seen.back === 1);
  assert.deepEqual(seen.shown, ["redis", ""]);
  assert.equal(seen.asked, 5);
  assert.deepEqual(seen.pauses, [HEALTH_PAUSE, CONFIRM_PAUSE, HEALTH_PAUSE, CONFIRM_PAUSE]);
});

test("Both stores can be away, and each comes back by itself", async () => {
  const { stores, seen } = follow([["postgres"], ["postgres", "redis"], ["redis"], []]);
  stores.suspect();
  await until(() => seen.back === 1);
  assert.deepEqual(seen.shown, ["postgres", "postgres redis", "redis", ""]);
});

test("A sign without a lost store shows nothing and is followed by two questions", async () => {
  const { stores, seen } = follow([[]]);
  stores.suspect();
  stores.suspect();
  await until(() => seen.asked === 2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([seen.asked, seen.shown, seen.back], [2, [], 0]);
  assert.deepEqual(seen.pauses, [HEALTH_PAUSE]);
  stores.suspect();
  await until(() => seen.asked === 4);
});

test("Without an answer the last state stays, and a hidden tab asks nothing", async () => {
  const answers: Answer[] = [["postgres"]];
  const { stores, seen } = follow(answers);
  const questions = (count: number) => until(() => seen.pauses.length > count);
  stores.suspect();
  await until(() => seen.shown.length === 1);
  answers[0] = "none";
  await questions(seen.pauses.length + 2);
  seen.visible = false;
  await questions(seen.pauses.length + 1);
  const { asked } = seen;
  await questions(seen.pauses.length + 2);
  assert.deepEqual([seen.asked, seen.shown, seen.back], [asked, ["postgres"], 0]);
  answers[0] = [];
  seen.visible = true;
  await until(() => seen.back === 1);
  assert.deepEqual(seen.shown, ["postgres", ""]);
});

test("Only a refusal because of a store is a sign of a lost one", async () => {
  for (const [code, status, signs] of [["unavailable", 503, 1], ["overloaded", 503, 0], ["not_found", 404, 0]] as const) {
    const server = await serve((_, response) => json(response, status, refusal(code), { "Retry-After": "60" }));
    let seen = 0;
    const transport = new Transport({ onUnavailable: () => seen++ });
    await transport.send(new Request(`${server.origin}/api/jobs`));
    await transport.withoutSignIn().send(new Request(`${server.origin}/api/jobs`));
    assert.equal(seen, 2 * signs, code);
    await server.close();
  }
});
