import assert from "node:assert/strict";
import { test } from "node:test";
import {
  credentialWords, fullestFirst, lookOf, quotasOf, shareWords, usedText,
} from "../../../web/dashboard/src/pages/usage/usage_words";

const KiB = 1024;
const MiB = KiB * KiB;
const GiB = KiB * MiB;

test("quotas come with the fullest first, and a quota of a newer service keeps its API name", () => {
  const quotas = quotasOf({
    jobs: { used: 10, limit: 500 }, triggerKeysOfOneJob: { used: 10, limit: 10 }, outputBytes: { used: 92, limit: 100 },
    newerThings: { used: 3, limit: null }, maintenanceWindows: { used: 1, limit: 100 },
    pageBytes: { used: 0, limit: 16 * MiB },
  });
  assert.deepEqual(quotas.map((quota) => quota.name), [
    "Trigger keys of one job", "Output", "Jobs", "Maintenance windows", "newerThings", "Posts of status pages",
  ]);
  assert.deepEqual(quotas.map((quota) => quota.bytes), [false, true, false, false, false, true]);
  assert.match(quotas[0]!.note!, /most keys/);
});

test("rows with the same share keep their order", () => {
  const rows = [["a", 0], ["b", 5], ["c", 0], ["d", 9]].map(([name, used]) => ({ name, used: used as number, limit: 10 }));
  assert.deepEqual(fullestFirst(rows).map((row) => row.name), ["d", "b", "a", "c"]);
});

test("a use is below its limit, nearly full from 90 %, or full", () => {
  const cases: [number, number | null, string, string][] = [
    [0, 20, "Below limit", "s-active"], [17, 20, "Below limit", "s-active"], [18, 20, "Nearly full", "s-warning"],
    [19, 20, "Nearly full", "s-warning"], [20, 20, "Full", "s-failed"], [25, 20, "Full", "s-failed"], [25, null, "No limit", "s-active"],
  ];
  for (const [used, limit, word, look] of cases) {
    const found = lookOf({ used, limit });
    assert.deepEqual([found.word, found.look], [word, look], `${used} of ${limit}`);
  }
  assert.equal(lookOf({ used: 60, limit: 60 }, "At its limit").word, "At its limit");
  assert.equal(lookOf({ used: 59, limit: 60 }, "At its limit").word, "Nearly full");
});

test("a share below 100 never reads as 100, and one above 0 never as 0", () => {
  const cases: [number, number, string][] = [
    [0, 1000, "0"], [1, 1000, "less than 1"], [10, 1000, "1"], [29, 100, "29"], [999, 1000, "99"], [1000, 1000, "100"], [1500, 1000, "150"],
  ];
  for (const [used, limit, text] of cases) assert.equal(shareWords({ used, limit }), `${text}\u00a0% used`);
});

test("numbers and bytes read as people write them", () => {
  const cases: [number, number | null, boolean, string][] = [
    [8, 20, false, "8 of 20"], [1200, 5000, false, "1 200 of 5 000"], [12, null, false, "12"],
    [0, 5 * GiB, true, "0 of 5 GiB"], [4.6 * GiB, 5 * GiB, true, "4.6 of 5 GiB"], [5 * GiB - 1, 5 * GiB, true, "4.9 of 5 GiB"],
    [5 * GiB, 5 * GiB, true, "5 of 5 GiB"], [38 * KiB, 16 * MiB, true, "38 KiB of 16 MiB"], [50, 256 * KiB, true, "50 B of 256 KiB"],
    [1.8 * MiB, 256 * MiB, true, "1.8 of 256 MiB"], [512 * MiB, 5 * GiB, true, "0.5 of 5 GiB"], [3 * KiB, null, true, "3 KiB"],
  ];
  for (const [used, limit, bytes, text] of cases) {
    const found = usedText({ used: Math.ceil(used), limit, bytes });
    assert.equal(found.replaceAll("\u00a0", " "), text);
  }
});

test("a credential has its kind in words, and a trigger key its job", () => {
  assert.deepEqual(
    [
      { kind: "cli" }, { kind: "test" }, { kind: "trigger", jobName: "checkout" }, { kind: "legacy_trigger", jobName: "checkout" },
      { kind: "trigger" }, { kind: "project" }, { kind: "newer" },
    ].map(credentialWords),
    [
      "CLI token", "Test token", "Trigger key of checkout", "Trigger key of checkout", "Trigger key", "All trigger keys of the project",
      "newer",
    ],
  );
});
