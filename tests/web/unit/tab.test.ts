import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type TabMessage, Tabs } from "../../../web/dashboard/src/api/tabs";
import { Visibility } from "../../../web/dashboard/src/api/visibility";
import { Ticker } from "../../../web/dashboard/src/parts/ticker";
import { until } from "./server";

test("A sign-out reaches all other tabs, and unknown messages reach nobody", async () => {
  const [first, second, third] = [new Tabs("t"), new Tabs("t"), new Tabs("t")];
  const seen: Record<string, TabMessage[]> = { first: [], second: [], third: [] };
  first.listen((message) => seen.first!.push(message));
  second.listen((message) => seen.second!.push(message));
  third.listen((message) => seen.third!.push(message));
  const raw = new BroadcastChannel("t");
  raw.postMessage("nonsense");
  raw.postMessage({ type: "signed-in" });
  first.send({ type: "signed-out" });
  await until(() => seen.second!.length > 0 && seen.third!.length > 0);
  assert.deepEqual(seen, { first: [], second: [{ type: "signed-out" }], third: [{ type: "signed-out" }] });
  for (const channel of [first, second, third, raw]) channel.close();
});

class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";
  show(state: DocumentVisibilityState) {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

test("A tab counts as hidden after the delay only, and as visible at once", async () => {
  const page = new Page();
  const seen: boolean[] = [];
  const visibility = new Visibility(page as never, 30);
  visibility.listen((visible) => seen.push(visible));
  page.show("hidden");
  page.show("visible");
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.deepEqual(seen, []);
  page.show("hidden");
  await until(() => seen.length === 1);
  assert.equal(visibility.visible, false);
  page.show("visible");
  assert.deepEqual(seen, [false, true]);
  visibility.close();
});

test("A hidden tab gives way to a visible one at once", () => {
  const page = new Page();
  const seen: boolean[] = [];
  const visibility = new Visibility(page as never, 60_000);
  visibility.listen((visible) => seen.push(visible));
  visibility.yield();
  assert.deepEqual(seen, []);
  page.show("hidden");
  visibility.yield();
  visibility.yield();
  assert.deepEqual(seen, [false]);
  page.show("visible");
  assert.deepEqual(seen, [false, true]);
  visibility.close();
});

test("All listeners of a clock share one timer, which rests in a hidden tab and ends with the last of them", async (context) => {
  const started = context.mock.method(globalThis, "setInterval");
  const page = new Page();
  const visibility = new Visibility(page as never, 60_000);
  const ticker = new Ticker(10, visibility);
  const seen: Record<string, Date[]> = { first: [], second: [] };
  const stops = ["first", "second"].map((name) => ticker.listen((now) => seen[name]!.push(now)));
  await until(() => seen.second!.length >= 2);
  assert.deepEqual(seen.first, seen.second);
  page.show("hidden");
  visibility.yield();
  const { length } = seen.first!;
  await sleep(50);
  assert.equal(seen.first!.length, length);
  page.show("visible");
  assert.equal(seen.first!.length, length + 1);
  stops[0]!();
  stops[0]!();
  await until(() => seen.second!.length >= length + 3);
  assert.equal(seen.first!.length, length + 1);
  stops[1]!();
  const rest = seen.second!.length;
  await sleep(50);
  page.show("hidden");
  visibility.yield();
  page.show("visible");
  assert.equal(seen.second!.length, rest);
  assert.equal(started.mock.callCount(), 1);
  ticker.listen(() => {})();
  assert.equal(started.mock.callCount(), 2);
  visibility.close();
});
