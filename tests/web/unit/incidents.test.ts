import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  type IncidentValues, MOST_BODY, MOST_DAYS_BACK, factErrors, factText, factsBody, factsOf, incidentBody, incidentErrors,
  mergedComponents, newIncident, newPost, postBody, postErrors, postStatuses, withStatus,
} from "../../../web/dashboard/src/pages/status_pages/incidents/incident_values";
import { componentsOf, openIncidentOf, readyIncident } from "../../../web/dashboard/src/pages/status_pages/incidents/outage_texts";
import type { Incident, PageComponent, StatusPage } from "../../../web/dashboard/src/pages/status_pages/page_queries";
import { IMPACTS, INCIDENT_STATES, LANGUAGES } from "../../../web/dashboard/src/pages/status_pages/page_states";

interface Schema {
  enum?: unknown[];
  maxLength?: number;
  pattern?: string;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const schemas = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components.schemas;

const NOW = new Date("2026-11-20T17:22:00Z");
const ZONE = "Europe/Berlin";

const incident = (more: Partial<Incident> = {}): Incident => ({
  id: "i1", pageId: "p1", name: "Checkout fails", impact: "major", status: "investigating",
  components: [{ id: "c1", status: "partial_outage" }], startedAt: "2026-11-20T17:07:12.345Z", resolvedAt: null, automatic: false,
  outageId: null, updates: [], createdAt: "2026-11-20T17:07:12.345Z", updatedAt: "2026-11-20T17:07:12.345Z", ...more,
});
const ready: IncidentValues = { ...newIncident(), name: "Checkout fails", body: "We look for the cause." };

test("the forms of incidents have the bounds and choices of the contract", () => {
  assert.equal(schemas.PostBody!.maxLength, MOST_BODY);
  assert.deepEqual(schemas.IncidentImpact!.enum, Object.keys(IMPACTS));
  const statuses = Object.keys(INCIDENT_STATES);
  assert.equal(schemas.NewIncidentUpdateStatus!.pattern, `^(${statuses.join("|")})$`);
  assert.deepEqual(schemas.IncidentStatus!.enum, postStatuses(incident()));
});

test("a new incident sends no default", () => {
  assert.deepEqual(incidentBody(ready, ZONE), { name: "Checkout fails", status: "investigating", body: "We look for the cause." });
  const full: IncidentValues = {
    ...ready, impact: "critical", status: "resolved", notify: false, startedAt: "2026-11-20T18:00",
    components: [{ id: "c1", status: "major_outage" }],
  };
  assert.deepEqual(incidentBody(full, ZONE), {
    name: "Checkout fails", status: "resolved", body: "We look for the cause.", impact: "critical", notify: false,
    startedAt: "2026-11-20T17:00:00.000Z", components: [{ id: "c1", status: "major_outage" }],
  });
});

test("an incident says what is wrong before it is sent", () => {
  const old = new Date(NOW.getTime() - (MOST_DAYS_BACK + 1) * 86_400_000).toISOString().slice(0, 16);
  const cases: [Partial<IncidentValues>, string[]][] = [
    [{}, []], [{ name: " " }, ["name"]], [{ body: "\n" }, ["body"]], [{ startedAt: "2026-11-20T18:23" }, ["startedAt"]],
    [{ startedAt: old }, ["startedAt"]], [{ startedAt: "2026-11-20T18:22" }, []],
    [{ name: "", body: "", startedAt: "x" }, ["name", "body", "startedAt"]],
    [{ body: "", startedAt: old }, ["body", "startedAt"]],
  ];
  for (const [part, names] of cases) {
    assert.deepEqual(incidentErrors({ ...ready, ...part }, ZONE, NOW).map((one) => one.name), names, JSON.stringify(part));
  }
});

test("facts of an incident that nobody touches change nothing, in any zone", () => {
  for (const zone of ["UTC", ZONE, "Asia/Kolkata"]) {
    const stored = incident();
    const { name, impact, components, startedAt } = stored;
    assert.deepEqual(factsBody(factsOf(stored, zone), zone, stored), { name, impact, components, startedAt });
    const old = incident({ startedAt: "2020-01-01T00:00:00.000Z" });
    assert.deepEqual(factErrors(factsOf(old, zone), zone, NOW, old), [], "a stored start may be old");
  }
  const read = { nameOf: (id: string) => `component ${id}`, zone: ZONE, now: NOW };
  const body = factsBody(factsOf(incident(), ZONE), ZONE, incident());
  assert.equal(factText("components", body, read), "component c1: partial outage");
  assert.equal(factText("impact", body, read), "Major impact");
});

test("a component of an incident gets another status, is added and is taken out", () => {
  const first = withStatus([], "c1", "major_outage");
  assert.deepEqual(withStatus(first, "c1", "operational"), [{ id: "c1", status: "operational" }]);
  assert.deepEqual(withStatus(first, "c2", "partial_outage").map((one) => one.id), ["c1", "c2"]);
  assert.deepEqual(withStatus(first, "c1", ""), []);
});

test("a post starts with the step that most often follows, but not with the end, and a post-mortem notifies nobody unless asked to", () => {
  const starts = (["investigating", "identified", "monitoring", "resolved"] as const).map((status) => newPost(incident({ status })));
  assert.deepEqual(starts.map((one) => one.status), ["identified", "identified", "monitoring", "postmortem"]);
  assert.deepEqual(starts.map((one) => one.notify), [true, true, true, false]);
  assert.ok(!postStatuses(incident()).includes("postmortem"));
  assert.ok(postStatuses(incident({ status: "resolved" })).includes("postmortem"));
  const post = { ...newPost(incident()), body: " The disk is full. " };
  assert.deepEqual(postBody(post, ZONE), { body: "The disk is full.", status: "identified" });
  assert.deepEqual(postBody({ ...post, notify: false, displayAt: "2026-11-20T18:00" }, ZONE), {
    body: "The disk is full.", status: "identified", notify: false, displayAt: "2026-11-20T17:00:00.000Z",
  });
  assert.deepEqual(postErrors(post, ZONE, NOW), []);
  assert.deepEqual(postErrors({ body: " ", displayAt: "2026-11-20T18:23" }, ZONE, NOW).map((one) => one.name), ["body", "displayAt"]);
});

test("a post changes only the components that its author has changed, not what others changed meanwhile", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, status: "partial_outage" as const }));
  const worse = { ...a!, status: "major_outage" as const };
  const start = [a!, b!];
  assert.deepEqual(mergedComponents(start, start, [worse, c!]), [worse, c!], "nothing was changed here");
  assert.deepEqual(mergedComponents([worse, b!], start, [a!, c!]), [worse, c!], "b was taken out by others and stays away");
  assert.deepEqual(mergedComponents([b!], start, [worse, b!]), [b!], "a was taken out here");
  assert.deepEqual(mergedComponents([a!, b!, c!], start, [a!]), [a!, c!], "c was added here");
});

const component = (id: string, more: Partial<PageComponent> = {}): PageComponent => ({
  id, pageId: "p1", name: id, description: null, group: null, position: 0, monitorIds: ["m1"], aggregation: "worst_case", showUptime: true,
  statusOverride: null, overrideUntil: null, status: "major_outage", missingMonitors: 0, createdAt: "", updatedAt: "", ...more,
});
const pageIn = (language: StatusPage["language"]) => ({ id: "p1", name: "Acme", language, status: "published" }) as StatusPage;

test("an outage becomes an incident that is ready to be published, in each language of a page", () => {
  const names = new Set<string>();
  for (const [language] of LANGUAGES) {
    const values = readyIncident({ page: pageIn(language), components: [component("Checkout")], incidents: [] });
    assert.deepEqual(incidentErrors(values, ZONE, NOW), [], language);
    assert.ok(values.name.includes("Checkout"), language);
    assert.deepEqual(values.components, [{ id: "Checkout", status: "major_outage" }]);
    assert.equal(values.impact, "major");
    names.add(values.body);
  }
  assert.equal(names.size, LANGUAGES.length);
  const long = readyIncident({ page: pageIn("en"), components: [component("😀".repeat(127))], incidents: [] });
  assert.ok(long.name.length <= 255);
  assert.doesNotThrow(() => encodeURIComponent(long.name), "half of a character ends the name");
  const healthy = component("Search", { status: "under_maintenance" });
  const values = readyIncident({ page: pageIn("en"), components: [healthy], incidents: [] });
  assert.deepEqual([values.components[0]!.status, values.impact], ["partial_outage", "minor"]);
});

test("an outage finds the components of its monitor, and the incident that is open for them", () => {
  const components = [component("a"), component("b", { monitorIds: ["m2"] })];
  assert.deepEqual(componentsOf(components, "m1").map((one) => one.id), ["a"]);
  const other = incident({ id: "i2", components: [{ id: "b", status: "major_outage" }] });
  const own = incident({ id: "i3", components: [{ id: "a", status: "major_outage" }] });
  const place = { page: pageIn("en"), components: componentsOf(components, "m1"), incidents: [other, own] };
  assert.equal(openIncidentOf(place)?.id, "i3");
  assert.equal(openIncidentOf({ ...place, incidents: [other] }), undefined);
});
