import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ApiError } from "../../../web/dashboard/src/api/errors";
import {
  MOST_POSITION, inOrder, lastPosition, newPositions, samePlaces,
} from "../../../web/dashboard/src/pages/status_pages/components/component_order";
import * as component from "../../../web/dashboard/src/pages/status_pages/components/component_values";
import { MOST_LOGO_BYTES, base64Of, domainState, logoError } from "../../../web/dashboard/src/pages/status_pages/domain_states";
import { errorFinder, refusedFields } from "../../../web/dashboard/src/pages/status_pages/field_errors";
import type { PageComponent, StatusPage } from "../../../web/dashboard/src/pages/status_pages/page_queries";
import {
  COMPONENT_STATES, LANGUAGES, PUBLICATIONS, SET_STATUSES, VISIBILITIES, componentState, feedsOf, maskedAddress, monitorsWords,
  pageAddress, shownAddress,
} from "../../../web/dashboard/src/pages/status_pages/page_states";
import {
  COLOR, MOST_DESCRIPTION, MOST_HEADLINE, MOST_MINUTES, MOST_PROVIDERS, MOST_RANGES, type PageValues, SLUG, bodyOf, createBody, errorsOf,
  memberText, newValues, rangesOf, slugOf, valuesOf,
} from "../../../web/dashboard/src/pages/status_pages/page_values";

interface Schema {
  enum?: unknown[];
  maximum?: number;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const schemas = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components.schemas;

const NOW = new Date("2026-11-20T17:22:00Z");

const page = (more: Partial<StatusPage> = {}): StatusPage => ({
  id: "p1", name: "Acme", slug: "acme", headline: null, description: null, status: "published", visibility: "public", allowedCidrs: null,
  language: "en", timeZone: "UTC", accentColor: null, supportUrl: null, allowFeeds: true, allowSubscribers: false, autoIncidents: false,
  autoIncidentMinutes: 5, notificationProviders: [], customDomain: null, componentStatus: "operational",
  evidenceAt: "2026-11-20T17:21:20.000Z", domain: null, createdBy: "u1", createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z", ...more,
});

const shown = (id: string, position: number, more: Partial<PageComponent> = {}): PageComponent => ({
  id, pageId: "p1", name: id, description: null, group: null, position, monitorIds: ["m1"], aggregation: "worst_case", showUptime: true,
  statusOverride: null, overrideUntil: null, status: "operational", missingMonitors: 0, createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z", ...more,
});

test("the forms of status pages have the bounds and choices of the contract", () => {
  assert.equal(schemas.StatusPageHeadline!.maxLength, MOST_HEADLINE);
  assert.equal(schemas.StatusPageDescription!.maxLength, MOST_DESCRIPTION);
  assert.equal(schemas.StatusPageCidrs!.maxItems, MOST_RANGES);
  assert.equal(schemas.StatusPageProviders!.maxItems, MOST_PROVIDERS);
  assert.equal(schemas.StatusPageAutoIncidentMinutes!.maximum, MOST_MINUTES);
  assert.equal(schemas.StatusPageSlug!.pattern, SLUG.source);
  assert.equal(schemas.StatusPageAccentColor!.pattern, COLOR.source);
  assert.deepEqual(schemas.StatusPageLanguage!.enum, LANGUAGES.map(([key]) => key));
  assert.deepEqual(schemas.StatusPageVisibility!.enum, Object.keys(VISIBILITIES));
  assert.deepEqual([...schemas.StatusPageStatus!.enum!].sort(), Object.keys(PUBLICATIONS).sort());
  assert.deepEqual(schemas.ComponentStatus!.enum, Object.keys(COMPONENT_STATES));
  assert.deepEqual(schemas.ComponentOverride!.enum, [...SET_STATUSES, null]);
  assert.equal(schemas.ComponentDescription!.maxLength, component.MOST_DESCRIPTION);
  assert.equal(schemas.ComponentGroup!.maxLength, component.MOST_GROUP);
  assert.equal(schemas.ComponentMonitorIds!.maxItems, component.MOST_MONITORS);
  assert.equal(schemas.ComponentPosition!.maximum, MOST_POSITION);
});

test("a new status page sends no default, and a stored one that nobody touches stays as it is", () => {
  const start = newValues("UTC");
  assert.deepEqual(createBody({ ...start, name: " Acme ", slug: "acme" }, false), { name: "Acme", slug: "acme" });
  const full: PageValues = {
    ...start, name: "Acme", slug: "acme", visibility: "restricted", allowedCidrs: "203.0.113.0/24\n2001:db8::/32, 203.0.113.0/24",
    timeZone: "Europe/Berlin", language: "de", customDomain: " Status.Example.org ", allowFeeds: false, autoIncidentMinutes: "15",
  };
  assert.deepEqual(createBody(full, true), {
    name: "Acme", slug: "acme", visibility: "restricted", allowedCidrs: ["203.0.113.0/24", "2001:db8::/32"], timeZone: "Europe/Berlin",
    language: "de", customDomain: "status.example.org", allowFeeds: false, autoIncidentMinutes: 15, status: "published",
  });
  const stored = [page(), page({ visibility: "restricted", allowedCidrs: ["203.0.113.0/24"], headline: "All", accentColor: "#1D4ED8" })];
  for (const one of stored) {
    const body = bodyOf(valuesOf(one));
    for (const [name, value] of Object.entries(body)) assert.deepEqual(value, one[name as keyof StatusPage], name);
    assert.deepEqual(errorsOf(valuesOf(one)), []);
  }
  assert.equal(bodyOf({ ...valuesOf(stored[1]!), visibility: "public" }).allowedCidrs, null);
});

test("the form of a status page says what is wrong before it is sent", () => {
  const start: PageValues = { ...newValues("UTC"), name: "Acme", slug: "acme" };
  assert.deepEqual(errorsOf(start), []);
  const many = Array.from({ length: 25 }, (_, at) => `10.0.${at}.0/24`).join("\n");
  const cases: [Partial<PageValues>, keyof PageValues][] = [
    [{ name: " " }, "name"], [{ slug: "a" }, "slug"], [{ slug: "-acme" }, "slug"], [{ slug: "Acme" }, "slug"],
    [{ visibility: "restricted" }, "allowedCidrs"], [{ visibility: "restricted", allowedCidrs: many }, "allowedCidrs"],
    [{ timeZone: "" }, "timeZone"], [{ accentColor: "blue" }, "accentColor"], [{ supportUrl: "http://a.example" }, "supportUrl"],
    [{ supportUrl: "javascript:alert(1)" }, "supportUrl"], [{ autoIncidents: true, autoIncidentMinutes: "61" }, "autoIncidentMinutes"],
    [{ autoIncidents: true, autoIncidentMinutes: "1.5" }, "autoIncidentMinutes"],
    [{ notificationProviders: Array.from({ length: 11 }, (_, at) => `n${at}`) }, "notificationProviders"],
  ];
  for (const [part, name] of cases) assert.deepEqual(errorsOf({ ...start, ...part }).map((one) => one.name), [name], JSON.stringify(part));
  const hidden = { ...start, autoIncidentMinutes: "x" };
  assert.deepEqual([errorsOf(hidden), bodyOf(hidden).autoIncidentMinutes], [[], 5], "the field is hidden without automatic incidents");
  assert.deepEqual(rangesOf(" 10.0.0.0/8,\n\n10.0.0.0/8 "), ["10.0.0.0/8"]);
});

test("a short name follows from a name, and is one that the service takes or nothing", () => {
  const cases: [string, string][] = [
    ["Acme Shop", "acme-shop"], ["  Café & Bar  ", "cafe-bar"], ["状态", ""], ["--", ""], ["A".repeat(80), "a".repeat(63)],
    [`${"a".repeat(62)} b`, "a".repeat(62)],
  ];
  for (const [name, slug] of cases) {
    assert.equal(slugOf(name), slug, name);
    if (slug) assert.match(slug, SLUG);
  }
});

test("the address of a page is its own domain only once that is proved", () => {
  const domain = { verifiedAt: null, txtName: "_svc-verify.status.example.org", txtValue: "svc-verify=x" };
  const waiting = page({ customDomain: "status.example.org", domain });
  const proved = page({ customDomain: "status.example.org", domain: { ...domain, verifiedAt: "2026-11-20T10:00:00.000Z" } });
  const origin = "https://svc.example.org";
  assert.equal(pageAddress(origin, page()), "https://svc.example.org/status/acme");
  assert.equal(pageAddress(origin, waiting), "https://svc.example.org/status/acme");
  assert.equal(pageAddress(origin, proved), "https://status.example.org/");
  assert.deepEqual([page(), waiting, proved].map(shownAddress), ["/status/acme", "/status/acme", "status.example.org"]);
  assert.equal(pageAddress(origin, { ...proved, visibility: "members" }), "https://svc.example.org/status/acme");
  assert.deepEqual([page(), waiting, proved].map((one) => domainState(one)?.word), [undefined, "Not verified", "Verified"]);
  assert.deepEqual(feedsOf(origin, page()).map(([word]) => word), ["RSS", "JSON Feed", "Calendar", "Badge", "Summary"]);
  assert.deepEqual(feedsOf(origin, page({ allowFeeds: false })).map(([word]) => word), ["Badge", "Summary"]);
  assert.equal(feedsOf(origin, page())[3]![1], "https://svc.example.org/api/status-pages/acme/badge.svg");
});

test("addresses of subscribers are masked once, and states of a newer service are unknown", () => {
  const cases: [string, string][] = [
    ["ada@example.com", "a…@example.com"], ["a@example.com", "a…@example.com"], ["a***@example.com", "a***@example.com"],
    ["\"odd @ name\"@example.com", "\"…@example.com"], ["nothing", "nothing"], ["😀@example.com", "😀…@example.com"],
  ];
  for (const [address, masked] of cases) {
    assert.equal(maskedAddress(address), masked);
    assert.equal(maskedAddress(masked), masked);
  }
  assert.equal(componentState("of the future").word, "Unknown");
  assert.deepEqual([monitorsWords(0, 0), monitorsWords(1, 0), monitorsWords(2, 1), monitorsWords(3, 2)], [
    "No monitor", "1 monitor", "1 of 2 monitors was deleted", "2 of 3 monitors were deleted",
  ]);
});

test("an order of components is saved with as few changes as possible", () => {
  const order = (...positions: number[]) => positions.map((position, at) => shown(`c${at}`, position));
  assert.deepEqual(newPositions(order(0, 1, 2)), []);
  assert.deepEqual(newPositions(order(5, 7, 9999)), []);
  assert.deepEqual(newPositions(order(0, 0, 0)), [{ id: "c1", position: 1 }, { id: "c2", position: 2 }]);
  assert.deepEqual(newPositions(order(0, 20, 10, 30)).length, 1);
  assert.deepEqual(newPositions(order(3, 0, 1, 2)).length, 3, "there is no place before the first one");
  assert.deepEqual(newPositions(order(13, 10, 20)), [{ id: "c1", position: 14 }]);
  assert.equal(lastPosition([]), 0);
  assert.equal(lastPosition(order(4, 2)), 5);
  assert.equal(lastPosition(order(MOST_POSITION)), MOST_POSITION);
  const [first, second, third] = order(0, 1, 2);
  assert.deepEqual(inOrder([first!, second!, third!], ["c2", "gone", "c0"]).map((one) => one.id), ["c2", "c0", "c1"]);
  assert.ok(samePlaces(order(1, 2), order(5, 6)) && !samePlaces(order(1), order(1, 2)));
});

test("each order of components becomes that order, whatever positions they had", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
  for (let round = 0; round < 300; round++) {
    const count = 1 + random(12);
    const most = [3, 20, MOST_POSITION + 1][round % 3]!;
    const order = Array.from({ length: count }, (_, at) => shown(`c${at}`, random(most)));
    const moved = new Map(newPositions(order).map((one) => [one.id, one.position]));
    const positions = order.map((one) => moved.get(one.id) ?? one.position);
    for (const [at, position] of positions.entries()) {
      assert.ok(position >= 0 && position <= MOST_POSITION, positions.join());
      assert.ok(at === 0 || position > positions[at - 1]!, `${order.map((one) => one.position).join()} became ${positions.join()}`);
    }
  }
});

test("a component that nobody touches changes nothing, and a status by hand keeps its end", () => {
  const zone = "Europe/Berlin";
  const stored = shown("c1", 0, { statusOverride: "partial_outage", overrideUntil: "2026-11-21T10:00:12.345Z", group: "Shop" });
  const values = component.valuesOf(stored, zone);
  const body = component.bodyOf(values, zone, stored);
  for (const [name, value] of Object.entries(body)) assert.deepEqual(value, stored[name as keyof PageComponent], name);
  assert.deepEqual(component.errorsOf(values, zone, NOW, stored), []);
  assert.deepEqual(component.withOverride({ statusOverride: "major_outage" }, { ...body, statusOverride: "major_outage" }), {
    statusOverride: "major_outage", overrideUntil: "2026-11-21T10:00:12.345Z",
  });
  assert.deepEqual(component.withOverride({ name: "x" }, body), { name: "x" });
  assert.deepEqual(component.bodyOf({ ...values, statusOverride: "" }, zone, stored).overrideUntil, null);
  const start = component.newValues();
  assert.deepEqual(component.createBody({ ...start, name: "Checkout" }, zone, 0), { name: "Checkout" });
  assert.deepEqual(component.createBody({ ...start, name: "Checkout", monitorIds: ["m1"], showUptime: false }, zone, 3), {
    name: "Checkout", monitorIds: ["m1"], showUptime: false, position: 3,
  });
  const wrong = (part: Partial<component.ComponentValues>) =>
    component.errorsOf({ ...start, name: "x", ...part }, zone, NOW).map((one) => one.name);
  assert.deepEqual(wrong({ name: " " }), ["name"]);
  assert.deepEqual(wrong({ statusOverride: "operational", overrideUntil: "2026-11-20T18:00" }), ["overrideUntil"]);
  assert.deepEqual(wrong({ statusOverride: "operational", overrideUntil: "2026-11-20T19:00" }), []);
  assert.deepEqual(wrong({ overrideUntil: "2020-01-01T00:00" }), [], "a time without a status does not count");
});

test("a refusal stands at its field, also one that has only a code", () => {
  const refusal = (code: string, details: { field: string; message: string }[] = []) =>
    new ApiError(409, code, "It is refused", "r1", details);
  assert.deepEqual(refusedFields(refusal("slug_taken")), { fields: [{ name: "slug", text: "It is refused." }], other: null });
  assert.deepEqual(refusedFields(refusal("domain_taken")).fields[0]!.name, "customDomain");
  const limit = refusal("status_page_limit_reached");
  assert.deepEqual(refusedFields(limit), { fields: [], other: limit });
  const details = refusal("validation_failed", [{ field: "/allowedCidrs/2", message: "must be a range" }]);
  assert.equal(errorFinder([], details)("allowedCidrs"), "Must be a range.");
  assert.equal(errorFinder([{ name: "name", text: "Enter a name." }], null)("name"), "Enter a name.");
});

test("a picture that cannot be a logo is refused before it is sent, and bytes become base64", () => {
  assert.equal(logoError({ type: "image/png", size: MOST_LOGO_BYTES }), undefined);
  const wrong: [string, number][] = [["image/svg+xml", 10], ["image/png", MOST_LOGO_BYTES + 1], ["image/png", 0]];
  for (const [type, size] of wrong) assert.ok(logoError({ type, size }), `${type} ${size}`);
  const bytes = Uint8Array.from({ length: 20_001 }, (_, at) => at % 256);
  assert.equal(base64Of(bytes), Buffer.from(bytes).toString("base64"));
});

test("both versions of a page are words, and names of providers are read", () => {
  const body = bodyOf(valuesOf(page({ notificationProviders: ["n1"] })));
  const text = (field: keyof PageValues) => memberText(field, body, () => "Mail of the team");
  assert.deepEqual([text("notificationProviders"), text("visibility"), text("allowFeeds"), text("headline"), text("allowedCidrs")], [
    "Mail of the team", "Public", "on", "none", "none",
  ]);
});
