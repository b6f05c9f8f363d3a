import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AuditEntry, auditFilters, changeWords, detailLines, unnamedMembers, wayOf,
} from "../../../web/dashboard/src/pages/audit/audit_words";
import type { ListPage } from "../../../web/dashboard/src/parts/list_foot";
import { MOST_PAGES, findRows, hasWords, searchPages } from "../../../web/dashboard/src/parts/search_pages";
import { dayOf } from "../../../web/dashboard/src/parts/url_state";
import { startOfDay } from "../../../web/dashboard/src/time/zone_day";

test("A change has a sentence, and one of a newer service keeps its name", () => {
  const cases: [string, string, object, string][] = [
    ["job.updated", "job", { name: "nightly" }, "Changed job nightly"],
    ["cli_token.revoked", "cli_token", {}, "Revoked token"],
    ["test.created", "test", { type: "command", title: "smoke" }, "Created test smoke"],
    ["member.role_set", "member", { email: "a@example.com" }, "Set the role of member a@example.com"],
    ["variable.deleted", "variable", { key: "BASE_URL", isSecret: false }, "Deleted variable BASE_URL"],
    ["rocket.launched_twice", "rocket", { name: "x" }, "Rocket launched twice x"],
    ["job.created", "job", { name: 7 }, "Created job"],
  ];
  for (const [action, resource, details, words] of cases) {
    assert.equal(changeWords({ action, resource, details: details as AuditEntry["details"] }), words);
  }
});

test("A change of a member names the person and the role, whose row has only ids", () => {
  const entry = { action: "member.role_set", resource: "member", details: { role: "project_editor" } as never };
  assert.equal(changeWords(entry, "Ada"), "Set the role of member Ada to editor");
  assert.equal(changeWords(entry), "Set the role of member to editor");
  assert.equal(changeWords({ ...entry, action: "member.removed", details: {} }, "Ada"), "Removed member Ada");
  const rows = [["member", "b"], ["job", "c"], ["member", "a"], ["member", "b"], ["member", null]]
    .map(([resource, resourceId]) => ({ resource, resourceId, details: {} }) as AuditEntry);
  assert.deepEqual(unnamedMembers(rows), ["a", "b"]);
  const named = [{ email: "d@example.com" }, { name: "Dora" }, { name: "" }, { role: "org_admin" }]
    .map((details, at) => ({ resource: "member", resourceId: `${at}`, details }) as unknown as AuditEntry);
  assert.deepEqual(unnamedMembers(named), ["2", "3"]);
});

test("An author comes by the dashboard, a token or the command line", () => {
  const cases: [object, string][] = [
    [{ id: "u", sessionId: "s" }, "dashboard"], [{ id: "u", tokenId: "t" }, "token or key"], [{ id: null }, "operator"],
    [{ id: "u" }, "the service"],
  ];
  for (const [actor, way] of cases) assert.equal(wayOf({ actor: { name: "Ada", ...actor } as AuditEntry["actor"] }), way);
});

test("Details have a line for each member, and two for a value before and after", () => {
  const lines = detailLines({ name: "nightly", timeout: { before: 600, after: 900 }, list: [1], nothing: null } as never);
  assert.deepEqual(lines, [
    { text: "name: nightly" }, { text: "timeout" }, { text: "- 600", look: "del" }, { text: "+ 900", look: "ins" }, { text: "list: [1]" },
    { text: "nothing: null" },
  ]);
});

test("A day starts at its first moment in the zone, over all changes of the clocks", () => {
  const cases: [string, string, number, string | undefined][] = [
    ["2026-11-20", "UTC", 0, "2026-11-20T00:00:00.000Z"], ["2026-11-20", "Asia/Kolkata", 0, "2026-11-19T18:30:00.000Z"],
    ["2026-11-20", "America/New_York", 1, "2026-11-21T05:00:00.000Z"], ["2026-03-08", "America/New_York", 0, "2026-03-08T05:00:00.000Z"],
    ["2026-03-08", "America/New_York", 1, "2026-03-09T04:00:00.000Z"], ["2026-12-31", "Pacific/Kiritimati", 1, "2026-12-31T10:00:00.000Z"],
    // Cuba skips midnight in March and has it twice in November.
    ["2026-03-08", "America/Havana", 0, "2026-03-08T05:00:00.000Z"], ["2026-11-01", "America/Havana", 0, "2026-11-01T04:00:00.000Z"],
    ["2026-02-30", "UTC", 0, undefined], ["2026-11-20x", "UTC", 0, undefined], ["", "UTC", 0, undefined],
  ];
  for (const [day, zone, later, start] of cases) assert.equal(startOfDay(day, zone, later)?.toISOString(), start, `${day} ${zone}`);
});

test("Filters by days have both days, and leave out what is not chosen", () => {
  assert.deepEqual(auditFilters({}, "UTC"), {});
  assert.deepEqual(auditFilters({ action: "job.updated", actorId: "u", from: "2026-11-20", to: "2026-11-20" }, "Europe/Berlin"), {
    action: "job.updated", actorId: "u", from: "2026-11-19T23:00:00.000Z", to: "2026-11-20T23:00:00.000Z",
  });
  const days: [unknown, string | undefined][] = [
    ["2026-11-20", "2026-11-20"], ["2026-13-20", undefined], ["20.11.2026", undefined], [7, undefined],
  ];
  for (const [raw, day] of days) assert.equal(dayOf({ from: raw }, "from"), day);
});

/** A list of `count` numbers in pages of ten, which counts its reads. */
function pagesOf(count: number) {
  const reads: (number | undefined)[] = [];
  const read = async ({ page = 1 }: { page?: number }): Promise<ListPage<number>> => {
    reads.push(page);
    const rows = Array.from({ length: Math.max(0, Math.min(10, count - (page - 1) * 10)) }, (_, at) => (page - 1) * 10 + at);
    const next = page * 10 < count ? { page: String(page + 1), cursor: "c" } : undefined;
    return { rows, pagination: { total: count, page, limit: 10 }, next };
  };
  return { read, reads };
}

test("A search reads pages until it has enough rows, and finds rows of the last page", async () => {
  const all = pagesOf(101);
  assert.deepEqual(await searchPages(all.read, (row) => row === 100, 3), { rows: [100], more: false });
  assert.equal(all.reads.length, 11);
  const first = pagesOf(101);
  assert.deepEqual(await searchPages(first.read, () => true, 3), { rows: [0, 1, 2], more: true });
  assert.deepEqual(first.reads, [1]);
  const exact = pagesOf(3);
  assert.deepEqual(await searchPages(exact.read, () => true, 3), { rows: [0, 1, 2], more: false });
  const endless = pagesOf(1e9);
  assert.deepEqual(await searchPages(endless.read, () => false, 3), { rows: [], more: true });
  assert.equal(endless.reads.length, MOST_PAGES);
});

test("A search for known rows ends when all are found, and reads a bounded number of pages for one that is gone", async () => {
  const search = async (count: number, ids: string[], bounds?: object) => {
    const { read, reads } = pagesOf(count);
    const named = async (place: object) => {
      const { rows, ...rest } = await read(place);
      return { ...rest, rows: rows.map((id) => ({ id: `${id}` })) };
    };
    return { rows: (await findRows(named, ids, bounds)).map((one) => one.id), reads: reads.length };
  };
  const cases: [number, string[], object | undefined, string[], number][] = [
    [1000, ["3", "1"], undefined, ["1", "3"], 1],
    [1000, ["1", "15", "1"], undefined, ["1", "15"], 2],
    [30, ["1", "gone"], undefined, ["1"], 3],
    [1000, ["1", "gone"], undefined, ["1"], 10],
    [1000, ["1", "gone"], { pages: 4 }, ["1"], 4],
    [1000, ["1", "gone", "15"], { missing: 1 }, ["1", "15"], 2],
    [1000, ["gone"], { missing: 1 }, [], 0],
    [1000, [], undefined, [], 0],
  ];
  for (const [count, ids, bounds, rows, reads] of cases) assert.deepEqual(await search(count, ids, bounds), { rows, reads }, ids.join());
});

test("Words match in any order and case, in any of the texts", () => {
  const cases: [string, boolean][] = [
    ["", true], ["ada", true], ["LOVE ada", true], ["ada@", true], ["ada babbage", false], ["lovelace example", true],
  ];
  for (const [words, matches] of cases) assert.equal(hasWords(words, "Ada Lovelace", "ada@example.com", null), matches, words);
});
