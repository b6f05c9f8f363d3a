import assert from "node:assert/strict";
import { test } from "node:test";
import { cronWords } from "../../../web/dashboard/src/time/cron_words";
import {
  dateText, durationText, knownZone, minuteText, numberText, relativeText, timeText, utcText, zoneName,
} from "../../../web/dashboard/src/time/format";
import { dayStartingAt, startOfDay } from "../../../web/dashboard/src/time/zone_day";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const at = (text: string) => new Date(text);

test("Times are in the zone, also over both changes of the clock", () => {
  const now = at("2026-11-20T17:30:00Z");
  const cases: [string, string, string, string][] = [
    ["2026-11-20T17:21:09Z", "Europe/Berlin", "18:21:09", "CET"],
    ["2026-07-20T17:21:09Z", "Europe/Berlin", "20 Jul, 19:21:09", "CEST"],
    ["2026-11-20T20:00:00Z", "Asia/Kolkata", "21 Nov, 01:30:00", "GMT+5:30"],
    ["2026-11-20T05:00:00Z", "UTC", "05:00:00", "UTC"],
    ["2026-03-08T06:59:59Z", "America/New_York", "8 Mar, 01:59:59", "GMT-5"],
    ["2026-03-08T07:00:00Z", "America/New_York", "8 Mar, 03:00:00", "GMT-4"],
    ["2026-11-01T05:30:00Z", "America/New_York", "1 Nov, 01:30:00", "GMT-4"],
    ["2026-11-01T06:30:00Z", "America/New_York", "1 Nov, 01:30:00", "GMT-5"],
    ["2025-12-31T23:30:00Z", "UTC", "31 Dec 2025, 23:30:00", "UTC"],
    ["2025-12-31T23:30:00Z", "Europe/Berlin", "1 Jan, 00:30:00", "CET"],
    ["2026-11-20T00:00:00Z", "UTC", "00:00:00", "UTC"],
    ["2026-09-05T00:00:00Z", "UTC", "5 Sep, 00:00:00", "UTC"],
  ];
  for (const [time, zone, text, name] of cases) {
    assert.equal(plain(timeText(at(time), zone, now)), text, `${time} in ${zone}`);
    assert.equal(zoneName(zone, at(time)), name, `name of ${zone} at ${time}`);
  }
  assert.equal(minuteText(at("2026-11-20T17:21:09Z"), "UTC", now), "17:21");
  assert.equal(plain(dateText(at("2027-02-15T23:30:00Z"), "Europe/Berlin")), "16 Feb 2027");
  assert.equal(utcText(at("2026-11-20T17:21:09.500Z")), "2026-11-20 17:21:09 UTC");
});

test("A time of yesterday shows its day as soon as the day of now ends, in each zone for itself", () => {
  const time = at("2026-11-20T22:59:00Z");
  const before = at("2026-11-20T22:59:59.999Z");
  const after = at("2026-11-20T23:00:00Z");
  for (let round = 0; round < 2; round++) {
    assert.equal(timeText(time, "Europe/Berlin", before), "23:59:00");
    assert.equal(plain(timeText(time, "Europe/Berlin", after)), "20 Nov, 23:59:00");
    assert.equal(timeText(time, "UTC", after), "22:59:00");
  }
});

test("Unknown zones become UTC", () => {
  for (const zone of ["Mars/Olympus", "", undefined]) assert.equal(knownZone(zone), "UTC");
  assert.equal(knownZone("Europe/Zurich"), "Europe/Zurich");
});

test("Durations are short", () => {
  const cases: [number, string][] = [
    [0, "0 ms"], [840, "840 ms"], [999.6, "1 s"], [1000, "1 s"], [41_400, "41 s"], [59_600, "1 min"], [163_000, "2 min 43 s"],
    [120_000, "2 min"], [3_600_000, "1 h"], [4_080_000, "1 h 08 min"], [86_400_000, "1 d"], [100_800_000, "1 d 4 h"], [-5, "0 ms"],
  ];
  for (const [milliseconds, text] of cases) assert.equal(plain(durationText(milliseconds)), text);
});

test("Distances from now", () => {
  const now = at("2026-11-20T12:00:00Z");
  const cases: [string, string][] = [
    ["2026-11-20T12:00:01Z", "now"], ["2026-11-20T11:59:20Z", "40 s ago"], ["2026-11-20T11:57:00Z", "3 min ago"],
    ["2026-11-20T14:59:00Z", "in 2 h"], ["2026-11-26T12:00:00Z", "in 6 days"], ["2026-11-19T12:00:00Z", "1 day ago"],
  ];
  for (const [time, text] of cases) assert.equal(plain(relativeText(at(time), now)), text, time);
});

test("Numbers have groups of three", () => {
  const cases: [number, string][] = [[0, "0"], [999, "999"], [4812, "4 812"], [1234567, "1 234 567"]];
  for (const [number, text] of cases) assert.equal(plain(numberText(number)), text);
});

test("Schedules are in words where words are clear", () => {
  const cases: [string, string | undefined][] = [
    ["* * * * *", "Every minute"], ["*/30 * * * *", "Every 30 minutes"], ["*/7 * * * *", undefined], ["5 * * * *", "Each hour at :05"],
    ["0 3 * * *", "Daily at 03:00"], ["0 4 * * 0", "Sundays at 04:00"], ["0 4 * * 7", "Sundays at 04:00"],
    ["0 6 * * mon-fri", "Monday to Friday at 06:00"], ["0 6 * * 1-5", "Monday to Friday at 06:00"],
    ["0 6 * * tue-sat", "Tuesday to Saturday at 06:00"], ["15 6,18 * * *", "Daily at 06:15 and 18:15"],
    ["0 */6 * * *", "Every 6 hours"], ["30 */6 * * *", "Every 6 hours at :30"], ["0 9 1 * *", "Each month on the 1st at 09:00"],
    ["0 9 22 * *", "Each month on the 22nd at 09:00"], ["0 9 12 * *", "Each month on the 12th at 09:00"],
    ["0 9 28 * *", "Each month on the 28th at 09:00"], ["0 3 31 * *", "Each month on the 31st, if it has one, at 03:00"],
    ["0 3 28 2 *", "Each year on 28 Feb at 03:00"], ["0 3 29 feb *", "Each leap year on 29 Feb at 03:00"],
    ["0 3 30 4 *", "Each year on 30 Apr at 03:00"], ["0 3 31 12 *", "Each year on 31 Dec at 03:00"],
    ["0 9 24 dec *", "Each year on 24 Dec at 09:00"], ["0 9 * * 1,3", "Mondays and Wednesdays at 09:00"],
    ["0 9 1 * 1", undefined], ["0 9 * * 9", undefined], ["1-5 * * * *", undefined], ["0 9 * *", undefined], ["", undefined],
  ];
  for (const [schedule, words] of cases) assert.equal(cronWords(schedule), words, schedule);
  const impossible = ["61 * * * *", "0 24 * * *", "0 3 32 * *", "0 3 0 * *", "60 */6 * * *", "0 3 31 2 *", "0 3 30 2 *", "0 3 31 4 *"];
  for (const schedule of impossible) assert.equal(cronWords(schedule), undefined, schedule);
});

test("A moment that starts or ends a day of the reader's zone is that day in the filters, any other moment is none", () => {
  const zones = ["UTC", "Asia/Kolkata", "America/New_York", "America/Sao_Paulo", "Africa/Cairo"];
  for (const zone of zones) {
    for (const day of ["2026-11-30", "2026-03-08", "2026-11-01", "2018-11-04", "2026-04-24"]) {
      assert.equal(dayStartingAt(startOfDay(day, zone)!.toISOString(), zone), day, zone);
      assert.equal(dayStartingAt(startOfDay(day, zone, 1)!.toISOString(), zone, 1), day, zone);
    }
  }
  for (const moment of ["2026-11-30T04:00:00Z", "no moment", undefined]) assert.equal(dayStartingAt(moment, "UTC"), undefined);
});
