import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkTime, retryOf, timeoutOf } from "../../../web/dashboard/src/pages/monitors/check_times";
import { differencesOf, shownValue, withOwn } from "../../../web/dashboard/src/pages/monitors/form/conflict";
import { type Field, fieldsOf, labelAt, placeOf } from "../../../web/dashboard/src/pages/monitors/form/fields";
import { type JsonObject, isObject, mergePatch, pointersOf } from "../../../web/dashboard/src/pages/monitors/form/merge_patch";
import {
  MASK, MOST_PARENTS, bodyOf, expectedOf, expectedText, maskErrors, originOf, patchOf, startValues, toBody, valuesOf,
} from "../../../web/dashboard/src/pages/monitors/form/values";
import type { MonitorType } from "../../../web/dashboard/src/pages/monitors/monitor_queries";

/** Applies a JSON merge patch. */
function applyPatch(base: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (isObject(value)) result[name] = applyPatch(isObject(result[name]) ? result[name] : {}, value);
    else result[name] = value;
  }
  return result;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const schemas = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components.schemas;

function resolve(schema: Schema | undefined): Schema | undefined {
  let found = schema;
  while (found?.$ref) found = schemas[found.$ref.split("/").at(-1)!];
  return found;
}

const BODIES: Record<MonitorType, string> = {
  http_request: "CreateHttpMonitor", website: "CreateWebsiteMonitor", ping_host: "CreatePingMonitor", port_check: "CreatePortMonitor",
  dns: "CreateDnsMonitor", heartbeat: "CreateHeartbeatMonitor",
};
const TYPES = Object.keys(BODIES) as MonitorType[];

function schemaOf(type: MonitorType, pointer: string): Schema | undefined {
  let schema = schemas[BODIES[type]];
  for (const name of pointer.split("/").slice(1)) schema = resolve(schema)?.properties?.[name];
  return resolve(schema);
}

// The contract says these in words: whether a certificate is watched depends on the target, and an interval may be in minutes.
const IN_WORDS = new Set(["/config/enableSslCheck", "/frequencySeconds", "/config/auth/type", "/alertConfig/enabled"]);

test("Fields of the forms have the defaults and bounds of the contract", () => {
  for (const type of TYPES) {
    for (const field of fieldsOf(type)) {
      const schema = schemaOf(type, field.pointer);
      assert.ok(schema, `${type} has no ${field.pointer}`);
      if (!IN_WORDS.has(field.pointer)) {
        assert.equal((field as { default?: unknown }).default, schema.default, `default of ${type} ${field.pointer}`);
      }
      const bounds = field.kind === "wholes" ? resolve(schema.items) : schema;
      if (field.kind === "whole" || field.kind === "wholes") {
        assert.deepEqual([field.minimum, field.maximum], [bounds?.minimum, bounds?.maximum], `bounds of ${type} ${field.pointer}`);
      }
      if (field.kind === "wholes") assert.equal(field.most, schema.maxItems);
    }
  }
});

test("Forms have all members of a config, but those without effect and those that this version refuses", () => {
  const left = new Set([
    "headers", "assertions", "locationConfig", "sslDaysUntilExpirationWarning", "checkRevocation", "sslCheckFrequencyHours",
    "sslCheckOnStatusChange",
  ]);
  const names = (field: Field) => field.pointer.split("/")[2];
  for (const type of TYPES) {
    const config = resolve(resolve(schemas[BODIES[type]])!.properties!.config)!;
    const missing = Object.keys(config.properties!).filter((name) => !left.has(name) && !fieldsOf(type).some((one) => names(one) === name));
    assert.deepEqual(missing, [], type);
  }
});

const monitor = (config: JsonObject, more: Record<string, unknown> = {}) => ({
  name: "shop", description: null, target: "https://shop.example.org/health", frequencySeconds: 60, frequencyMinutes: 1, tags: [],
  dependsOn: [], alertConfig: null, config, ...more,
}) as never;

const roundTrip = (type: MonitorType, config: JsonObject, more = {}) => toBody(type, valuesOf(type, bodyOf(monitor(config, more))));

test("A form that nobody touches changes nothing", () => {
  const configs: [MonitorType, JsonObject][] = [
    ["http_request", {
      method: "POST", body: " x ", headers: { "X-Api-Key": MASK, Accept: "" }, auth: { type: "basic", username: "probe", password: MASK },
      assertions: [
        { source: "json", property: "$.a", comparison: "equals", expected: "1" },
        { source: "status", comparison: "less_than", expected: 300 }, { source: "header", property: "ETag", comparison: "exists" },
        { source: "body", comparison: "not_equals", expected: null, onFail: "degraded" },
      ],
      responseBodyJsonPath: { path: "$.ok", expectedValue: true }, sslWarningDays: [14, 7], tls: { verify: false }, followRedirects: false,
    }],
    ["ping_host", { count: 5, maxLossPercent: 0 }], ["port_check", { port: 25, expectClosed: true }],
    ["dns", { recordType: "MX", assertions: [{ source: "dnsAnswer", comparison: "contains", expected: "mx1" }] }],
    ["heartbeat", { schedule: { cron: "30 2 * * *", timeZone: "Europe/Berlin" }, graceSeconds: 900 }],
    ["heartbeat", { schedule: { everySeconds: 60 } }],
  ];
  for (const [type, config] of configs) {
    const once = roundTrip(type, config);
    assert.deepEqual([...once.errors], [], type);
    assert.deepEqual(once.body.config, config, type);
    const again = toBody(type, valuesOf(type, once.body));
    assert.deepEqual(mergePatch(once.body, again.body), {}, type);
  }
});

test("Monitors that another one needs are kept, added and removed, the last one by an empty list", () => {
  assert.equal(schemas.MonitorDependsOn!.maxItems, MOST_PARENTS);
  const before = roundTrip("website", {}, { dependsOn: ["a", "b"] }).body;
  assert.deepEqual(before.dependsOn, ["a", "b"]);
  const changed = (parents: string[]) => patchOf(before, toBody("website", { ...valuesOf("website", before), parents }).body);
  assert.deepEqual(changed(["a", "b"]), {});
  assert.deepEqual(changed(["a", "b", "c"]), { dependsOn: ["a", "b", "c"] });
  assert.deepEqual(changed([]), { dependsOn: [] });
  const saved = { ...before, dependsOn: ["b"] };
  const found = differencesOf(before, saved, before, (pointer) => labelAt("website", pointer), (id) => `monitor ${id}`);
  assert.deepEqual(found.map((one) => [one.word, one.saved, one.mine, one.start]), [
    ["Depends on", "monitor b", "monitor a, monitor b", "saved"],
  ]);
  assert.equal(placeOf("website", "/dependsOn/3"), "/dependsOn");
});

test("A new form sends no defaults", () => {
  const values = startValues("http_request");
  Object.assign(values.texts, { "/name": " shop ", "/target": "https://shop.example.org/" });
  assert.deepEqual(toBody("http_request", values), {
    body: { config: {}, name: "shop", target: "https://shop.example.org/" }, errors: new Map(),
  });
});

test("A form says what is wrong before it is sent", () => {
  const cases: [MonitorType, Record<string, string>, string][] = [
    ["website", { "/name": "ab" }, "/name"],
    ["website", { "/target": "" }, "/target"],
    ["website", { "/config/timeoutSeconds": "0" }, "/config/timeoutSeconds"],
    ["website", { "/config/timeoutSeconds": "61" }, "/config/timeoutSeconds"],
    ["website", { "/config/timeoutSeconds": "1.5" }, "/config/timeoutSeconds"],
    ["website", { "/config/sslWarningDays": "30, soon" }, "/config/sslWarningDays"],
    ["website", { "/config/sslWarningDays": "6,5,4,3,2,1" }, "/config/sslWarningDays"],
    ["port_check", { "/config/port": "65536" }, "/config/port"],
    ["port_check", { "/config/port": "" }, "/config/port"],
    ["heartbeat", { "/config/schedule/everySeconds": "29" }, "/config/schedule/everySeconds"],
    ["heartbeat", { "/config/schedule/everySeconds": "" }, "/config/schedule/everySeconds"],
  ];
  const sound = { "/name": "shop", "/target": "https://shop.example.org/", "/config/port": "80" };
  for (const [type, texts, pointer] of cases) {
    const values = startValues(type);
    Object.assign(values.texts, sound, texts);
    assert.deepEqual([...toBody(type, values).errors.keys()], [pointer], `${type} ${JSON.stringify(texts)}`);
  }
  const alerts = startValues("website");
  Object.assign(alerts.texts, sound);
  alerts.flags["/alertConfig/enabled"] = true;
  assert.deepEqual([...toBody("website", alerts).errors.keys()], ["/alertConfig/notificationProviders"]);
});

test("A secret stays masked with its origin and name, and is asked for again elsewhere", () => {
  const before = roundTrip("http_request", { headers: { "X-Api-Key": MASK }, auth: { type: "bearer", token: MASK } }).body;
  const change = (patch: JsonObject) => [...maskErrors(before, applyPatch(before, patch)).keys()].sort();
  assert.deepEqual(change({}), []);
  assert.deepEqual(change({ target: "https://shop.example.org/other?x#y" }), []);
  assert.deepEqual(change({ target: "https://SHOP.example.org/" }), []);
  for (const target of ["http://shop.example.org/", "https://shop.example.org:444/", "https://evil.example/"]) {
    assert.deepEqual(change({ target }), ["/config/auth/token", "/config/headers/X-Api-Key"], target);
  }
  assert.deepEqual(change({ target: "https://evil.example/", config: { auth: null, headers: { "X-Api-Key": "new" } } }), []);
  assert.deepEqual(change({ config: { headers: { "X-Api-Key": null, "X-Token": MASK } } }), ["/config/headers/X-Token"]);
  assert.equal(originOf("https://a.example:1/p"), "https://a.example:1");
  assert.equal(originOf("a.example"), "a.example");
});

test("A merge patch leads from one body to the other and has only what differs", () => {
  const before: JsonObject = { name: "a", config: { headers: { A: "1", B: "2" }, assertions: [1] }, description: "x" };
  const after: JsonObject = { name: "a", config: { headers: { B: "3" }, assertions: [1, 2] } };
  const patch = mergePatch(before, after);
  assert.deepEqual(patch, { config: { headers: { A: null, B: "3" }, assertions: [1, 2] }, description: null });
  assert.deepEqual(applyPatch(before, patch), after);
  assert.deepEqual(pointersOf(patch).sort(), ["/config/assertions", "/config/headers/A", "/config/headers/B", "/description"]);
});

test("A conflict shows both versions of what either person changed, and no secret", () => {
  const base: JsonObject = { name: "shop", config: { timeoutSeconds: 5, auth: { password: MASK } } };
  const saved: JsonObject = { name: "store", config: { timeoutSeconds: 6, auth: { password: MASK } } };
  const own: JsonObject = { name: "shop", config: { timeoutSeconds: 9, auth: { password: "hunter2" } } };
  const found = differencesOf(base, saved, own, (pointer) => labelAt("website", pointer));
  assert.deepEqual(found.map((one) => [one.word, one.saved, one.mine, one.start]), [
    ["Name", "store", "shop", "saved"], ["Timeout of an attempt, s", "6", "9", "mine"],
    ["Password", "the stored secret", "a new secret", "mine"],
  ]);
  const chosen = withOwn(saved, own, found, ["/config/timeoutSeconds", "/config/auth/password"]);
  assert.deepEqual(chosen, { name: "shop", config: { timeoutSeconds: 6, auth: { password: MASK } } });
  assert.deepEqual(withOwn(saved, own, found, found.map((one) => one.field)), saved);
  assert.equal(saved.name, "store");
  assert.deepEqual(differencesOf(base, own, own, String), []);
});

test("A chosen version removes a member that one has removed, and adds one with the objects on its way", () => {
  const base: JsonObject = { name: "shop", config: { headers: { A: "1" }, sslWarningDays: [7] } };
  const saved: JsonObject = { name: "shop", config: { sslWarningDays: [14] } };
  const own: JsonObject = { name: "shop", description: "mine", config: { headers: { A: "2" } } };
  const found = differencesOf(base, saved, own, String);
  assert.deepEqual(found.map((one) => [one.field, one.saved, one.mine, one.start]), [
    ["/config/headers", "not set", "A: a new secret", "saved"], ["/config/sslWarningDays", "[14]", "not set", "mine"],
    ["/config/headers/A", "not set", "a new secret", "mine"], ["/description", "not set", "mine", "mine"],
  ]);
  assert.deepEqual(withOwn(saved, own, found, []), own);
  assert.deepEqual(withOwn(saved, own, found, ["/config/sslWarningDays", "/config/headers/A"]), {
    ...own, config: { headers: { A: "2" }, sslWarningDays: [14] },
  });
});

test("A conflict names providers, answers yes or no, and cuts long texts", () => {
  const cases: [string, Parameters<typeof shownValue>[1], string][] = [
    ["/description", undefined, "not set"], ["/config/followRedirects", false, "no"], ["/config/timeoutSeconds", 5, "5"],
    ["/alertConfig/notificationProviders", ["a", "b"], "provider a, provider b"], ["/config/url", MASK, "the stored secret"],
    ["/config/headers/X-Key", "hunter2", "a new secret"], ["/description", "x".repeat(201), `${"x".repeat(200)}…`],
    ["/config/auth", { type: "bearer", token: MASK }, "type: bearer\ntoken: the stored secret"], ["/config/auth", {}, "empty"],
  ];
  for (const [pointer, value, text] of cases) assert.equal(shownValue(pointer, value, (id) => `provider ${id}`), text, pointer);
});

test("A refusal leads to the field that shows it, and each pointer has words", () => {
  const cases: [string, string, string][] = [
    ["/name", "/name", "Name"], ["/frequencyMinutes", "/frequencySeconds", "Interval"], ["/target", "/target", "Target"],
    ["/config/sslWarningDays/2", "/config/sslWarningDays", "Warnings, days before"],
    ["/config/headers/X-Key", "/config/headers/X-Key", "Header X-Key"], ["/config/assertions/1/property", "", "Assertion 2"],
    ["/alertConfig/notificationProviders", "", "Notification providers"], ["/config/later", "", "later"], ["", "", "Monitor"],
  ];
  for (const [pointer, place, word] of cases) {
    assert.equal(placeOf("website", pointer), place || pointer);
    assert.equal(labelAt("website", place || pointer), word, pointer);
  }
});

test("Expected values keep their type", () => {
  for (const value of ["ok", "1", "true", "null", '"quoted"', "", 1, 1.5, true, false, null]) {
    assert.deepEqual(expectedOf(expectedText(value)), value);
  }
  assert.equal(expectedText("ok"), "ok");
  assert.equal(expectedText("1"), '"1"');
});

test("The time of a check follows the contract", () => {
  assert.deepEqual([10, 30, 49, 300].map((interval) => timeoutOf({}, interval)), [2, 6, 9, 10]);
  assert.deepEqual(retryOf({}, 30).delays, [1, 2]);
  assert.deepEqual(retryOf({}, 25).delays, [1]);
  assert.deepEqual(retryOf({ retryStrategy: { maxRetries: 3, delaySeconds: 2, backoffFactor: 3 } }, 60).delays, [2, 6, 18]);
  assert.deepEqual(checkTime({ timeoutSeconds: 6 }, 30), { most: 21, limit: 24 });
});
