import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveReads } from "../../../web/dashboard/src/api/live_reads";

test("a list is read again for the kinds that it shows, and polls where events do not name all of its changes", () => {
  const reads = new LiveReads();
  const heard: string[] = [];
  for (const name of ["jobs", "first-tests", "monitors", "alerts", "audit"])
    reads.listen(["shop", name], () => heard.push(name));

  reads.publish({ kinds: new Set(["test"]) });
  assert.deepEqual(heard, [], "the feed of the project is not live");

  reads.setLive("shop", true);
  reads.publish({ kinds: new Set(["test"]) });
  assert.deepEqual(heard.splice(0), ["first-tests"]);
  reads.publish({ kinds: new Set(["run", "outage"]) });
  assert.deepEqual(heard.splice(0), ["jobs", "monitors"]);
  reads.publish({ kinds: undefined });
  assert.deepEqual(heard.splice(0), ["jobs", "first-tests", "monitors", "alerts"]);

  const covered = ["jobs", "alerts", "monitors", "audit"].filter((name) => reads.covers(["shop", name]));
  assert.deepEqual(covered, ["jobs", "alerts"]);
  assert.equal(reads.covers(["other", "jobs"]), false);
  reads.setLive("shop", false);
  assert.equal(reads.covers(["shop", "jobs"]), false);
});

test("whoever shows whether changes arrive hears when the feed becomes live and when it ends", () => {
  const reads = new LiveReads();
  const seen: boolean[] = [];
  const stop = reads.watch(() => seen.push(reads.isLive("shop")));
  reads.setLive("shop", true);
  reads.setLive("other", false);
  reads.setLive("shop", false);
  stop();
  reads.setLive("shop", true);
  assert.deepEqual(seen, [true, true, false]);
});

test("windows are read again when one changes, also where monitors show them, and poll because they start by the clock", () => {
  const reads = new LiveReads();
  const heard: string[] = [];
  for (const name of ["maintenance", "monitors", "monitor", "usage", "alerts"]) reads.listen(["shop", name], () => heard.push(name));
  reads.setLive("shop", true);
  reads.publish({ kinds: new Set(["maintenance_window"]) });
  assert.deepEqual(heard, ["maintenance", "monitors", "monitor", "usage"]);
  assert.equal(reads.covers(["shop", "maintenance"]), false);
});

test("status pages, their incidents and their subscribers are read again for the kinds that they show", () => {
  const reads = new LiveReads();
  const heard: string[] = [];
  const names = ["status-pages", "page-incidents", "page-subscribers", "window-updates"];
  for (const name of names) reads.listen(["shop", name], () => heard.push(name));
  reads.setLive("shop", true);
  for (const kind of ["status_page", "component", "incident", "post", "subscriber", "monitor", "job"]) {
    heard.length = 0;
    reads.publish({ kinds: new Set([kind]) });
    const expected: Record<string, string[]> = {
      status_page: ["status-pages"], component: ["status-pages", "page-incidents"], incident: ["status-pages", "page-incidents"],
      // A post can resolve an incident, which changes the status of components.
      post: ["status-pages", "page-incidents", "window-updates"], subscriber: ["page-subscribers"], monitor: ["status-pages"], job: [],
    };
    assert.deepEqual(heard, expected[kind], kind);
  }
  assert.deepEqual(names.filter((name) => reads.covers(["shop", name])), ["page-incidents", "window-updates"]);
});

test("the overview is read again for each kind that it counts, and is covered by the feed", () => {
  const reads = new LiveReads();
  let heard = 0;
  reads.listen(["shop", "overview"], () => heard++);
  reads.setLive("shop", true);
  for (const kind of ["run", "job", "monitor", "outage", "variable", "alert"]) reads.publish({ kinds: new Set([kind]) });
  assert.equal(heard, 4);
  assert.deepEqual(["overview", "usage", "limits"].map((name) => reads.covers(["shop", name])), [true, true, false]);
});
