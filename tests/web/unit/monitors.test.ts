import assert from "node:assert/strict";
import { test } from "node:test";
import { alertTitle, deliveryWords } from "../../../web/dashboard/src/pages/alerts/alert_words";
import { crontabLines } from "../../../web/dashboard/src/pages/monitors/crontab";
import {
  isMuted, monitorState, outageState, resultState, scheduleWords, suppressedWords, targetText,
} from "../../../web/dashboard/src/pages/monitors/monitor_states";
import { openFirst } from "../../../web/dashboard/src/pages/outages/open_first";
import { phasesOf } from "../../../web/dashboard/src/pages/monitors/phases";
import {
  axisTop, cellsOf, cellsOfBar, downtimeText, fillSlots, percentText, seriesSentence, spanOf, timeLabels, zonesOf,
} from "../../../web/dashboard/src/pages/monitors/series";
import { barPath, barsSentence } from "../../../web/dashboard/src/pages/monitors/state_bars";
import { fieldOf, momentOf } from "../../../web/dashboard/src/time/zoned";

const NOW = Date.parse("2026-11-20T17:22:00Z");
const part = (start: string, values: object) => ({
  start, checks: 120, up: 120, uptimePercent: 100, avg: 1, p50: 100, p95: 300, p99: 1, min: 1, max: 1, ...values,
});

test("A period has all its hours or days until now, and those without checks are gaps", () => {
  for (const [period, count, first] of [
    ["24h", 24, "2026-11-19T18:00:00.000Z"], ["7d", 168, "2026-11-13T18:00:00.000Z"], ["30d", 30, "2026-10-22T00:00:00.000Z"],
    ["90d", 90, "2026-08-23T00:00:00.000Z"], ["365d", 365, "2025-11-21T00:00:00.000Z"],
  ] as const) {
    const span = spanOf(period, NOW);
    assert.deepEqual([span.count, new Date(span.from).toISOString()], [count, first], period);
  }
  const span = spanOf("24h", NOW);
  const slots = fillSlots(span, [part("2026-11-20T16:00:00.000Z", {}), part("2026-11-20T17:00:00.000Z", { up: 40, uptimePercent: 40 })]);
  assert.deepEqual([slots.length, slots.filter((slot) => slot.part).length, slots[23]!.part?.up], [24, 2, 40]);
  assert.equal(
    seriesSentence(slots, span, 1),
    "Response time by hour: median 100\u00a0ms to 100\u00a0ms, p95 at most 300\u00a0ms. 1 outage in the period. " +
      "22 of 24 hours have no checks. The table below has the numbers.",
  );
  assert.match(seriesSentence(fillSlots(span, []), span, 0), /no successful check in the period/);
});

test("Time that nothing covers is never shown as up", () => {
  const span = spanOf("24h", NOW);
  const starts = [0, 1, 2, 3].map((at) => new Date(span.from + at * span.step).toISOString());
  const cells = cellsOf(fillSlots(span, [
    part(starts[0]!, { uptimePercent: 100 }), part(starts[1]!, { uptimePercent: 99.99 }), part(starts[2]!, { uptimePercent: 0 }),
    part(starts[3]!, { uptimePercent: null }),
  ])).slice(0, 5);
  assert.deepEqual(cells, ["up", "part", "down", "unknown", "unknown"]);
  assert.equal(barsSentence("Last 5 hours", cells), "Last 5 hours: 1 up, 1 down for a part, 1 down, 2 not known");
  assert.equal(barPath(cells, "unknown", 17.3), "M28 24V17.3M36 24V17.3");
  assert.equal(barPath(cells, "down", 0), "M20 24V0");
});

test("An hour of a monitor is up, partly down, down or not known", () => {
  const cells: [number, number, string][] = [
    [3600, 0, "up"], [3600, 1, "part"], [720, 719_999, "part"], [720, 720_000, "down"], [3600, 3_600_000, "down"], [0, 0, "unknown"],
  ];
  const start = "2026-11-20T10:00:00.000Z";
  for (const [observedSeconds, downMs, state] of cells) assert.deepEqual(cellsOfBar([{ start, observedSeconds, downMs }]), [state]);
});

test("An hour without observed time was in maintenance where the planned time overlaps it, and stays red where it was down", () => {
  const hours = ["09", "10", "11", "12"].map((hour) => ({ start: `2026-11-20T${hour}:00:00.000Z`, observedSeconds: 0, downMs: 0 }));
  const planned = { from: Date.parse("2026-11-20T10:30:00Z"), to: Date.parse("2026-11-20T12:00:00Z") };
  assert.deepEqual(cellsOfBar(hours, planned), ["unknown", "maintenance", "maintenance", "unknown"]);
  assert.deepEqual(cellsOf(hours.map(({ start }) => ({ start: Date.parse(start) })), 3_600_000, planned), [
    "unknown", "maintenance", "maintenance", "unknown",
  ]);
  assert.deepEqual(cellsOfBar([{ ...hours[1]!, observedSeconds: 60, downMs: 60_000 }], planned), ["down"]);
  assert.deepEqual(cellsOfBar([{ ...hours[1]!, observedSeconds: 60 }], planned), ["up"]);
  assert.equal(barsSentence("Last hour", ["maintenance"]), "Last hour: 1 in maintenance");
});

test("A provider that was not notified has the reason in words", () => {
  const reasons = ["muted", "provider_disabled", "too_many_changes", "maintenance", "dependency", "newer", null];
  assert.deepEqual(reasons.map(suppressedWords), [
    ", because the monitor was muted", ", because it was disabled", ", because the status changed too often", ", because of maintenance",
    ", because a monitor that this one depends on is down", "", "",
  ]);
});

test("Open outages of a page come first, and each group keeps its order", () => {
  const rows = [["a", "x"], ["b", null], ["c", "y"], ["d", null]].map(([id, endedAt]) => ({ id, endedAt }) as never);
  assert.deepEqual(openFirst(rows).map((one: { id: string }) => one.id), ["b", "d", "a", "c"]);
});

test("Outages are cut at the ends of the period, and an open one lasts until now", () => {
  const span = spanOf("24h", NOW);
  const zones = zonesOf([
    { startedAt: "2026-11-20T17:07:12Z", endedAt: null }, { startedAt: "2026-11-19T17:00:00Z", endedAt: "2026-11-19T18:30:00Z" },
    { startedAt: "2026-11-18T17:00:00Z", endedAt: "2026-11-18T18:30:00Z" },
  ], span, NOW);
  assert.deepEqual(zones, [
    { from: Date.parse("2026-11-20T17:07:12Z"), to: NOW }, { from: span.from, to: Date.parse("2026-11-19T18:30:00Z") },
  ]);
});

test("The axis ends at a number that three lines divide", () => {
  for (const [most, top] of [[0, 3], [3, 3], [4, 6], [240, 300], [301, 600], [647, 900], [1000, 1500], [60_000, 60_000]] as const) {
    assert.equal(axisTop([most, null, undefined]), top, String(most));
  }
  assert.deepEqual(timeLabels(spanOf("24h", NOW), "UTC", new Date(NOW)), ["19 Nov, 18:00", "00:00", "06:00", "12:00", "now"].map(
    (label) => label.replace("19 Nov", "19\u00a0Nov"),
  ));
  assert.equal(timeLabels(spanOf("30d", NOW), "UTC", new Date(NOW))[0], "22\u00a0Oct");
});

test("A percentage below 100 never reads as 100", () => {
  assert.deepEqual([100, 99.9999, 99.87, 0, null].map(percentText), ["100", "99.99", "99.87", "0.00", "–"]);
  assert.equal(downtimeText({ downtimeSeconds: 900, outages: 1, observedSeconds: 1 }), "15\u00a0min down, 1 outage");
  assert.equal(downtimeText({ downtimeSeconds: 0, outages: 0, observedSeconds: 0 }), "nothing observed yet");
});

test("Phases of a check fill the bar in order, and each is visible", () => {
  const phases = phasesOf({ dnsMs: 0, connectMs: 12, tlsMs: 20, firstByteMs: 1064, transferMs: 2 });
  assert.deepEqual(phases.map((one) => one.word), ["DNS", "Connect", "TLS", "First byte", "Transfer"]);
  assert.ok(phases.every((one) => one.width >= 6));
  assert.equal(phases.at(-1)!.x + phases.at(-1)!.width, 1000);
  assert.deepEqual(phasesOf({}), []);
  assert.deepEqual(phasesOf(undefined), []);
  assert.deepEqual(phasesOf({ connectMs: 0 }).map((one) => one.width), [1000]);
});

test("States of monitors, results and outages have a word for every value, also for one of a newer service", () => {
  assert.deepEqual(
    ["up", "degraded", "down", "error", "pending", "paused", "newer"].map((one) => monitorState(one).word),
    ["Up", "Degraded", "Down", "No evidence", "Pending", "Paused", "Unknown"],
  );
  const result = (status: string, degraded = false, code?: string) =>
    resultState({ status, degraded, details: code ? { error: { code, message: "" } } : {} } as never).word;
  assert.deepEqual(
    [result("up"), result("up", true), result("down"), result("down", false, "heartbeat_missed"), result("timeout"), result("newer")],
    ["Up", "Up, degraded", "Down", "Missed", "Timeout", "Unknown"],
  );
  const outage = (endReason: string | null) => outageState({ endedAt: endReason && "2026-11-20T17:07:12Z", endReason } as never).word;
  assert.deepEqual([null, "recovered", "paused", "edited", "newer"].map(outage), [
    "Open", "Recovered", "Paused", "Monitor edited", "Unknown",
  ]);
});

test("A target reads as people write it", () => {
  const cases: [string, string | null, object, string][] = [
    ["website", "https://a.example/", {}, "https://a.example/"],
    ["http_request", "https://a.example/", { method: "POST" }, "POST https://a.example/"],
    ["port_check", "a.example", { port: 53, protocol: "udp" }, "a.example:53, udp"],
    ["dns", "a.example", { recordType: "MX" }, "a.example MX"],
    ["heartbeat", null, { schedule: { everySeconds: 60 } }, "Heartbeat, every 1\u00a0min"],
    ["heartbeat", null, { schedule: { cron: "30 2 * * *" } }, "Heartbeat, daily at 02:30"],
  ];
  for (const [type, target, config, text] of cases) assert.equal(targetText({ type, target, config } as never), text);
  assert.equal(scheduleWords({ schedule: { cron: "1-5 2 * * *" } }), "1-5 2 * * *");
  assert.equal(isMuted({ mutedUntil: "2026-11-20T17:22:01Z" }, new Date(NOW)), true);
  assert.equal(isMuted({ mutedUntil: "2026-11-20T17:21:59Z" }, new Date(NOW)), false);
});

test("Lines for a crontab have its fields, no percent sign, and the exit code after the address", () => {
  const url = "https://ci.example/api/heartbeats/svc_beat_x";
  const cases: [object, string][] = [
    [{ cron: "30 2 * * *" }, "30 2 * * *"], [{ everySeconds: 30 }, "* * * * *"], [{ everySeconds: 60 }, "* * * * *"],
    [{ everySeconds: 900 }, "*/15 * * * *"], [{ everySeconds: 3600 }, "0 * * * *"], [{ everySeconds: 21_600 }, "0 */6 * * *"],
    [{ everySeconds: 86_400 }, "0 0 * * *"], [{ everySeconds: 5000 }, "0 * * * *"], [{ everySeconds: 604_800 }, "0 0 * * 0"],
    [{ everySeconds: 2_592_000 }, "0 0 * * 0"],
  ];
  for (const [schedule, fields] of cases) {
    const { plain, timed } = crontabLines(url, { schedule });
    assert.equal(plain, `${fields}  backup.sh; curl -fsS -m 10 --retry 3 ${url}/$?`);
    assert.ok(timed.startsWith(`${fields}  curl -fsS -m 10 --retry 3 ${url}/start; `) && timed.endsWith(`${url}/$?`));
    assert.ok(!timed.includes("%"));
  }
  assert.match(crontabLines(url, { schedule: { everySeconds: 60 }, methods: "post" }).plain, /-X POST/);
  const note = (schedule: object) => crontabLines(url, { schedule }).note?.replaceAll("\u00a0", " ");
  assert.equal(note({ everySeconds: 3600 }), undefined);
  assert.equal(note({ everySeconds: 5400 }), "A crontab cannot say every 1 h 30 min. This line runs every 1 h, which is early enough.");
  assert.match(note({ everySeconds: 30 })!, /at most once a minute/);
  assert.match(note({ cron: "30 2 * * *", timeZone: "Asia/Kolkata" })!, /in Asia\/Kolkata\./);
});

test("An alert says what became of it", () => {
  const base = { status: "sent", attempts: 1, suppressedBy: null, error: null, grouped: false, maybeRepeated: false } as const;
  const cases: [object, string][] = [
    [{}, "Delivered"], [{ attempts: 3, grouped: true }, "Delivered at attempt 3, with other alerts in one message"],
    [{ status: "pending", attempts: 0 }, "Waits for its turn"],
    [{ status: "pending", attempts: 2, error: { reason: "timeout", status: null } }, "Attempt 2 failed: No answer in time"],
    [{ status: "failed", error: { reason: "auth_failed", status: 401 } }, "Failed after 1 attempt: The credentials were not accepted, 401"],
    [{ status: "failed", attempts: 10, error: { reason: "newer", status: null } }, "Failed after 10 attempts: newer"],
    [{ status: "suppressed", suppressedBy: "muted" }, "The monitor was muted"],
    [{ status: "suppressed", suppressedBy: "maintenance" }, "The monitor was in maintenance"],
    [{ status: "suppressed", suppressedBy: "dependency" }, "A monitor that it depends on was down"],
    [{ status: "suppressed", suppressedBy: "newer" }, "It was recorded but not sent"],
  ];
  for (const [more, words] of cases) assert.equal(deliveryWords({ ...base, ...more } as never), words);
  const metadata = { errorMessage: "The port is closed." };
  assert.deepEqual(alertTitle({ message: "shop has been down since 10:12: The port is closed. (x)", targetName: "shop", metadata }), {
    title: "shop has been down since 10:12", cause: "The port is closed.",
  });
  assert.deepEqual(alertTitle({ message: "shop recovered", targetName: "shop", metadata: { errorMessage: null } }), {
    title: "shop recovered",
  });
});

test("A time of a field follows the zone over changes of its clocks", () => {
  const cases: [string, string, string | undefined][] = [
    ["2026-11-20T18:30", "Asia/Kolkata", "2026-11-20T13:00:00.000Z"], ["2026-11-20T00:00", "UTC", "2026-11-20T00:00:00.000Z"],
    // Spring: 02:30 does not exist, and counts from before the change. Autumn: 01:30 is twice, and is the first one.
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
    ["2026-02-30T10:00", "UTC", undefined], ["2026-11-20T24:00", "UTC", undefined], ["2026-11-20", "UTC", undefined],
    ["", "UTC", undefined],
  ];
  for (const [text, zone, moment] of cases) assert.equal(momentOf(text, zone)?.toISOString(), moment, `${text} in ${zone}`);
  assert.equal(fieldOf(new Date("2026-11-20T13:00:00Z"), "Asia/Kolkata"), "2026-11-20T18:30");
});
