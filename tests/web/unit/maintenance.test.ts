import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { LENGTHS, MOST_MINUTES_NOW } from "../../../web/dashboard/src/pages/maintenance/lengths";
import { differencesOf } from "../../../web/dashboard/src/pages/maintenance/window_conflict";
import type { MaintenanceWindow } from "../../../web/dashboard/src/pages/maintenance/window_queries";
import {
  announcedWords, coverWords, endWords, groupsOf, lengthOf, monitorsText, ruleWords, windowState,
} from "../../../web/dashboard/src/pages/maintenance/window_states";
import {
  MOST_COMPONENTS, MOST_DESCRIPTION, MOST_HOURS, MOST_MINUTES, MOST_MONITORS, MOST_PAGES, MOST_TAGS,
  type WindowValues, bodyOf, errorsOf, inputOf, newValues, partsOf, patchOf,
  valuesOf, withSaved,
} from "../../../web/dashboard/src/pages/maintenance/window_values";

interface Schema {
  maximum?: number;
  maxItems?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const schemas = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components.schemas;

const NOW = new Date("2026-11-20T17:22:00Z");
const ZONE = "Europe/Berlin";

const once = (more: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: "w1", name: "upgrade", description: null, monitorIds: ["m1"], tagIds: null, all: false, startsAt: "2026-11-21T10:00:12.345Z",
  endsAt: "2026-11-21T11:30:00.000Z", cron: null, timeZone: null, durationMinutes: null, from: null, until: null,
  excludeFromUptime: true, state: "scheduled", current: null, next: null, monitorCount: 1, createdBy: "u1",
  statusPageIds: [], componentIds: [], announcement: null, announceHours: 72, notify: true,
  createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z", ...more,
});
const recurring = (more: Partial<MaintenanceWindow> = {}): MaintenanceWindow => once({
  startsAt: null, endsAt: null, cron: "0 3 * * sun", timeZone: "America/New_York", durationMinutes: 90,
  until: "2026-12-24T00:00:00.000Z", ...more,
});

const partsOfWindow = (window: MaintenanceWindow) => partsOf(valuesOf(window, ZONE), ZONE, window);
const change = (window: MaintenanceWindow, part: Partial<WindowValues>) =>
  patchOf(partsOfWindow(window), partsOf({ ...valuesOf(window, ZONE), ...part }, ZONE, window));

test("The form of a window has the bounds of the contract", () => {
  assert.equal(schemas.WindowDescription!.maxLength, MOST_DESCRIPTION);
  assert.equal(schemas.WindowMonitorIds!.maxItems, MOST_MONITORS);
  assert.equal(schemas.WindowTagIds!.maxItems, MOST_TAGS);
  assert.equal(schemas.WindowDuration!.maximum, MOST_MINUTES);
  assert.equal(schemas.StartMonitorMaintenanceRequest!.properties!.minutes!.maximum, MOST_MINUTES_NOW);
  for (const [minutes] of LENGTHS) assert.ok(Number(minutes) >= 1 && Number(minutes) <= MOST_MINUTES_NOW, minutes);
});

test("A form of a window that nobody touches changes nothing, in any zone", () => {
  const windows = [
    once(), recurring(), once({ monitorIds: null, tagIds: ["t1"] }), once({ monitorIds: null, all: true, excludeFromUptime: false }),
    recurring({ description: "each week", from: "2026-11-22T01:02:03.004Z" }),
  ];
  for (const window of windows) {
    for (const zone of ["UTC", ZONE, "Asia/Kolkata", "America/New_York"]) {
      const before = partsOf(valuesOf(window, zone), zone, window);
      assert.deepEqual(patchOf(before, partsOf(valuesOf(window, zone), zone, window)), {}, zone);
      assert.deepEqual(errorsOf(valuesOf(window, zone), zone, NOW), [], zone);
    }
  }
});

test("A new window starts within two hours and sends no default", () => {
  const values = { ...newValues(NOW, "UTC", "m1"), name: "  upgrade " };
  assert.deepEqual(errorsOf(values, "UTC", NOW), []);
  assert.deepEqual(bodyOf(partsOf(values, "UTC")), {
    name: "upgrade", monitorIds: ["m1"], startsAt: "2026-11-20T19:00:00.000Z", endsAt: "2026-11-20T20:00:00.000Z",
  });
  const rule: WindowValues = {
    ...values, kind: "recurring", cover: "tags", tags: ["t1"], cron: " 0  3 * * sun ", timeZone: ZONE, minutes: "90",
    until: "2026-12-24T00:00", excludeFromUptime: false, description: " each week ",
  };
  assert.deepEqual(errorsOf(rule, "UTC", NOW), []);
  assert.deepEqual(bodyOf(partsOf(rule, "UTC")), {
    name: "upgrade", description: "each week", tagIds: ["t1"], cron: "0 3 * * sun", timeZone: ZONE, durationMinutes: 90,
    until: "2026-12-24T00:00:00.000Z", excludeFromUptime: false,
  });
});

test("A new window starts on a full hour of the zone", () => {
  const starts = (now: string, zone: string) => newValues(new Date(now), zone).startsAt;
  assert.equal(starts("2026-11-20T17:22:00Z", ZONE), "2026-11-20T20:00");
  assert.equal(starts("2026-11-20T17:00:00Z", "UTC"), "2026-11-20T18:00");
  assert.equal(starts("2026-11-20T17:22:00Z", "Asia/Kolkata"), "2026-11-21T00:00");
  assert.equal(starts("2026-11-20T17:40:00Z", "Asia/Kathmandu"), "2026-11-21T01:00");
});

test("A save sends what has changed, and another kind of time or cover replaces the stored one", () => {
  const end = { endsAt: "2026-11-21T13:00" };
  const cases: [MaintenanceWindow, Partial<WindowValues>, object][] = [
    [once(), { name: "upgrade of the database" }, { name: "upgrade of the database" }],
    [once({ description: "x" }), { description: " " }, { description: null }],
    [once(), end, { endsAt: "2026-11-21T12:00:00.000Z" }],
    [once(), { monitors: ["m1", "m2"] }, { monitorIds: ["m1", "m2"] }],
    [once(), { cover: "all" }, { all: true }],
    [once({ monitorIds: null, all: true }), { cover: "tags", tags: ["t1"] }, { tagIds: ["t1"] }],
    [once(), { excludeFromUptime: false }, { excludeFromUptime: false }],
    [recurring(), { minutes: "60", until: "" }, { durationMinutes: 60, until: null }],
    [
      once(), { kind: "recurring", cron: "0 4 * * *", timeZone: "UTC", minutes: "30" },
      { cron: "0 4 * * *", timeZone: "UTC", durationMinutes: 30 },
    ],
    [
      recurring(), { kind: "once", startsAt: "2026-11-21T11:00", ...end },
      { startsAt: "2026-11-21T10:00:00.000Z", endsAt: "2026-11-21T12:00:00.000Z" },
    ],
  ];
  for (const [window, part, patch] of cases) assert.deepEqual(change(window, part), patch, JSON.stringify(part));
});

test("A window is announced on status pages only if it says so, and each part of that is patched by itself", () => {
  const published = once({ statusPageIds: ["p1"], componentIds: ["c1"], announcement: { title: "Upgrade", body: "Read-only." } });
  assert.deepEqual(change(published, {}), {});
  const cases: [Partial<WindowValues>, object][] = [
    [{ statusPageIds: ["p1", "p2"] }, { statusPageIds: ["p1", "p2"] }], [{ componentIds: [] }, { componentIds: [] }],
    [{ title: " ", text: "" }, { announcement: null }], [{ text: "Soon." }, { announcement: { title: "Upgrade", body: "Soon." } }],
    [{ announceHours: "24" }, { announceHours: 24 }], [{ notify: false }, { notify: false }],
  ];
  for (const [part, patch] of cases) assert.deepEqual(change(published, part), patch, JSON.stringify(part));
  const values = {
    ...newValues(NOW, "UTC", "m1", "p1"), name: "upgrade", title: "Upgrade", text: "Soon.", announceHours: "1", notify: false,
  };
  assert.deepEqual(bodyOf(partsOf(values, "UTC")), {
    name: "upgrade", monitorIds: ["m1"], startsAt: "2026-11-20T19:00:00.000Z", endsAt: "2026-11-20T20:00:00.000Z",
    statusPageIds: ["p1"], announcement: { title: "Upgrade", body: "Soon." }, announceHours: 1, notify: false,
  });
  const wrong = (part: Partial<WindowValues>) => errorsOf({ ...values, ...part }, "UTC", NOW).map((one) => one.id);
  assert.deepEqual([wrong({ title: "" }), wrong({ text: " " }), wrong({ announceHours: "721" }), wrong({ announceHours: "x" })], [
    ["window-title"], ["window-text"], ["window-announceHours"], ["window-announceHours"],
  ]);
  const hidden = { statusPageIds: [], title: "", text: "Soon.", announceHours: "x" };
  assert.deepEqual(wrong(hidden), [], "fields that are hidden without a page are not wrong");
  assert.deepEqual(partsOf({ ...values, ...hidden }, "UTC"), {
    ...partsOf({ ...values, statusPageIds: [] }, "UTC"), announcement: null, announceHours: 72,
  });
  assert.equal(inputOf("/announcement/title"), "window-title");
  assert.equal(inputOf("/announcement/body"), "window-text");
  assert.equal(inputOf("/statusPageIds/1"), "window-statusPageIds");
  assert.equal(schemas.WindowStatusPageIds!.maxItems, MOST_PAGES);
  assert.equal(schemas.WindowComponentIds!.maxItems, MOST_COMPONENTS);
  assert.equal(schemas.WindowAnnounceHours!.maximum, MOST_HOURS);
  assert.equal(announcedWords(1), "Announced on a status page");
});

test("The form of a window says what is wrong before it is sent", () => {
  const start: WindowValues = { ...newValues(NOW, "UTC", "m1"), name: "upgrade", startsAt: "2026-11-20T18:00", endsAt: "2026-11-20T19:00" };
  const rule: WindowValues = { ...start, kind: "recurring", startsAt: "", endsAt: "" };
  const cases: [WindowValues, Partial<WindowValues>, string][] = [
    [start, { name: " " }, "window-name"], [start, { monitors: [] }, "window-monitors"], [start, { cover: "tags" }, "window-tags"],
    [start, { cover: "tags", tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, "window-tags"],
    [start, { startsAt: "" }, "window-startsAt"], [start, { endsAt: "2026-11-20T18:00" }, "window-endsAt"],
    [start, { startsAt: "2026-11-20T16:00", endsAt: "2026-11-20T17:22" }, "window-endsAt"],
    [start, { endsAt: "2026-12-25T18:01" }, "window-endsAt"],
    [rule, { cron: "0 3 * *" }, "window-cron"], [rule, { timeZone: " " }, "window-timeZone"], [rule, { minutes: "0" }, "window-minutes"],
    [rule, { minutes: "1441" }, "window-minutes"], [rule, { minutes: "1.5" }, "window-minutes"],
    [rule, { from: "2026-12-01T00:00", until: "2026-12-01T00:00" }, "window-until"],
  ];
  for (const [values, part, id] of cases) {
    assert.deepEqual(errorsOf({ ...values, ...part }, "UTC", NOW).map((one) => one.id), [id], JSON.stringify(part));
  }
  assert.deepEqual(errorsOf({ ...start, endsAt: "2026-12-25T18:00" }, "UTC", NOW), [], "35 days are permitted");
  assert.deepEqual(errorsOf({ ...start, startsAt: "2026-11-20T16:00" }, "UTC", NOW), [], "a window may have started");
});

test("A window that has lost its monitors can be renamed, and another cover is checked", () => {
  const stored = valuesOf(once({ monitorIds: [] }), ZONE);
  assert.deepEqual(errorsOf({ ...stored, name: "other" }, ZONE, NOW, stored), []);
  assert.deepEqual(errorsOf({ ...stored, cover: "tags" }, ZONE, NOW, stored).map((one) => one.id), ["window-tags"]);
});

test("A refusal of a window leads to the field that shows it", () => {
  const cases = [
    ["/name", "window-name"], ["/monitorIds/3", "window-monitors"], ["/tagIds", "window-tags"], ["/all", "window-monitors"],
    ["/durationMinutes", "window-minutes"], ["/cron", "window-cron"], ["/until", "window-until"], ["", "window-name"],
  ] as const;
  for (const [pointer, id] of cases) assert.equal(inputOf(pointer), id, pointer);
});

test("Two versions of a window differ in whole parts, so that no choice mixes two kinds of time", () => {
  const base = once();
  const saved = once({ startsAt: null, endsAt: null, cron: "0 3 * * sun", timeZone: "UTC", durationMinutes: 90 });
  const mine = { ...valuesOf(base, "UTC"), endsAt: "2026-11-21T12:00", monitors: ["m1", "m2"] };
  const reader = { nameOf: (id: string) => `monitor ${id}`, zone: "UTC", now: NOW };
  const differences = differencesOf({
    base: partsOf(valuesOf(base, "UTC"), "UTC", base), saved: partsOf(valuesOf(saved, "UTC"), "UTC", saved),
    mine: partsOf(mine, "UTC", base),
  }, reader);
  assert.deepEqual(differences.map((one) => [one.word, one.saved, one.mine, one.start]), [
    ["Monitors", "monitor m1", "monitor m1, monitor m2", "mine"],
    ["Time", "0 3 * * sun in UTC for 1\u00a0h 30\u00a0min", "21\u00a0Nov, 10:00 to 21\u00a0Nov, 12:00", "mine"],
  ]);
  const merged = withSaved(mine, valuesOf(saved, "UTC"), ["times"]);
  assert.deepEqual(patchOf(partsOf(valuesOf(saved, "UTC"), "UTC", saved), partsOf(merged, "UTC", saved)), { monitorIds: ["m1", "m2"] });
});

test("Windows stand by what a reader needs first: active by their end, the others by their start", () => {
  const at = (hour: string) =>
    ({ id: hour, startsAt: `2026-11-21T${hour}:00:00.000Z`, endsAt: `2026-11-21T${hour}:30:00.000Z`, startsAtLocal: "" });
  const groups = groupsOf([
    once({ id: "late", next: at("12") }), once({ id: "long", state: "active", current: at("20") }),
    recurring({ id: "weekly", next: at("05") }), recurring({ id: "short", state: "active", current: at("18") }),
    once({ id: "soon", next: at("09") }), once({ id: "past", state: "finished" }),
  ]);
  const ids = (windows: readonly MaintenanceWindow[]) => windows.map((one) => one.id);
  assert.deepEqual([ids(groups.active), ids(groups.scheduled), ids(groups.recurring)], [["short", "long"], ["soon", "late"], ["weekly"]]);
});

test("A window reads as people write it", () => {
  assert.equal(ruleWords(recurring()), "Sundays at 03:00 for 1\u00a0h 30\u00a0min");
  assert.equal(ruleWords(recurring({ cron: "1-5 2 * * *" })), undefined);
  assert.equal(ruleWords(once()), undefined);
  assert.deepEqual([lengthOf(recurring()), lengthOf(once({ startsAt: "2026-11-21T10:00:00.000Z" }))], [5_400_000, 5_400_000]);
  assert.deepEqual([monitorsText(1), monitorsText(0)], ["1 monitor", "0 monitors"]);
  assert.equal(coverWords(once({ all: true, monitorCount: 12 })), "All monitors, now 12");
  const words = ["scheduled", "active", "finished", "newer"].map((one) => windowState(one).word);
  assert.deepEqual(words, ["Scheduled", "Active", "Finished", "Unknown"]);
});

test("The end of an occurrence is wall time after its real length, also over a change of the clocks", () => {
  const cases: [string, number, string, string | undefined][] = [
    ["2026-11-22T02:00:00Z", 90, ZONE, "04:30"], ["2026-11-22T22:30:00Z", 120, ZONE, "Mon 01:30"],
    // Spring in Berlin: 01:30 and 90 minutes end at 04:00. Autumn in New York: 00:30 and 120 minutes end at 01:30.
    ["2026-03-29T00:30:00Z", 90, ZONE, "04:00"], ["2026-11-01T04:30:00Z", 120, "America/New_York", "01:30"],
    ["2026-11-22T02:00:00Z", 90, "Nowhere/City", undefined],
  ];
  for (const [start, minutes, zone, words] of cases) assert.equal(endWords(start, minutes, zone), words, `${start} ${zone}`);
});
