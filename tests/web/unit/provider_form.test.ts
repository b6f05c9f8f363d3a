import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { mergePatch } from "../../../web/dashboard/src/pages/monitors/form/merge_patch";
import {
  PROVIDER_FIELDS, providerBody, providerLabel, providerMaskErrors, providerValues,
} from "../../../web/dashboard/src/pages/providers/provider_form_values";
import { providerState } from "../../../web/dashboard/src/pages/providers/provider_words";
import type { ProviderType } from "../../../web/dashboard/src/pages/providers/provider_queries";
import { MASK } from "../../../web/dashboard/src/pages/monitors/form/values";

interface Schema {
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties: Record<string, Schema>;
}

const contract = readFileSync(path.join(process.env.WEB_FOLDER!, "api/generated/public.json"), "utf8");
const schemas = (JSON.parse(contract) as { components: { schemas: Record<string, Schema> } }).components.schemas;
const TYPES = Object.keys(PROVIDER_FIELDS) as ProviderType[];

test("Forms of providers have the fields, defaults and bounds of the contract", () => {
  for (const type of TYPES) {
    const schema = schemas[`${type[0]!.toUpperCase()}${type.slice(1)}Config`]!;
    assert.deepEqual(PROVIDER_FIELDS[type].map((one) => one.name).sort(), Object.keys(schema.properties).sort(), type);
    for (const field of PROVIDER_FIELDS[type]) {
      const own = schema.properties[field.name]!;
      const place = `${type} ${field.name}`;
      if (field.kind === "lines") continue;
      assert.equal("required" in field && field.required === true, schema.required?.includes(field.name) ?? false, place);
      assert.equal((field as { default?: unknown }).default, own.default, place);
      if (field.kind === "choice") assert.deepEqual(field.options.map(([key]) => key), own.enum, place);
      if (field.kind === "whole") assert.deepEqual([field.minimum, field.maximum], [own.minimum, own.maximum], place);
    }
  }
});

test("A provider's form that nobody touches changes nothing, and says what is missing", () => {
  const configs: [ProviderType, Record<string, unknown>][] = [
    ["email", { to: ["a@example.org", "b@example.org"] }], ["slack", { webhookUrl: MASK, channel: "#alerts" }],
    ["webhook", { url: "https://a.example/", method: "PUT", headers: { "X-Key": MASK }, signingSecret: MASK, bodyTemplate: "{}" }],
    ["telegram", { botToken: MASK, chatId: "-100", threadId: 7 }], ["pagerduty", { routingKey: MASK, region: "eu" }],
    ["ntfy", { topic: "t", server: "https://n.example", priority: 5 }],
  ];
  for (const [type, config] of configs) {
    const before = { name: "x", enabled: true, config, groupSeconds: 60, ratePerMinute: 5 } as never;
    const { body, errors } = providerBody(type, providerValues(type, before));
    assert.deepEqual([...errors], [], type);
    assert.deepEqual(body.config, config, type);
    assert.deepEqual(mergePatch(body, providerBody(type, providerValues(type, body)).body), {}, type);
  }
  for (const [type, pointers] of [
    ["email", ["/name", "/config/to"]], ["slack", ["/name", "/config/webhookUrl"]],
    ["telegram", ["/name", "/config/botToken", "/config/chatId"]],
  ] as const) assert.deepEqual([...providerBody(type, providerValues(type, {})).errors.keys()], pointers, type);
});

test("A secret of a provider stays with its address and its name", () => {
  const body = (config: object) => ({ name: "x", enabled: true, config }) as never;
  const before = body({ url: "https://a.example/", headers: { "X-Key": MASK }, signingSecret: MASK });
  const errors = (config: object) => [...providerMaskErrors(before, body(config)).keys()].sort();
  assert.deepEqual(errors({ url: "https://a.example/", headers: { "X-Key": MASK }, signingSecret: MASK }), []);
  assert.deepEqual(errors({ url: "https://b.example/", headers: { "X-Key": MASK }, signingSecret: MASK }), [
    "/config/headers/X-Key", "/config/signingSecret",
  ]);
  assert.deepEqual(errors({ url: "https://b.example/", headers: { "X-Key": "new" }, signingSecret: "generate" }), []);
  assert.deepEqual(errors({ url: "https://a.example/", headers: { "X-Other": MASK } }), ["/config/headers/X-Other"]);
});

test("A provider's state is its health, unless it is disabled", () => {
  const word = (enabled: boolean, health: string) => providerState({ enabled, health } as never).word;
  assert.deepEqual(
    [word(true, "ok"), word(true, "failing"), word(true, "unknown"), word(false, "failing")],
    ["Works", "Failing", "Never used", "Disabled"],
  );
});

test("Each field of a provider has a label, and a new signing secret stays one", () => {
  const cases = [
    ["/name", "Name"], ["/ratePerMinute", "Messages a minute, at most"], ["/config/headers/X-Key", "Header X-Key"],
    ["/config/url", "URL"], ["/config/later", "config/later"],
  ] as const;
  for (const [pointer, label] of cases) assert.equal(providerLabel("webhook", pointer), label);
  for (const [secret, signing] of [[undefined, "none"], [MASK, "keep"], ["generate", "generate"]] as const) {
    const config = { url: "https://a.example", ...(secret ? { signingSecret: secret } : {}) };
    const values = providerValues("webhook", { name: "hook", config });
    assert.equal(values.signing, signing);
    assert.equal((providerBody("webhook", values).body.config as Record<string, unknown>).signingSecret, secret);
  }
});

test("Errors of a provider keep capitals of names, give no endless bound, and name the wrong address", () => {
  const errorOf = (type: ProviderType, texts: Record<string, string>, pointer: string) =>
    providerBody(type, { ...providerValues(type, {}), name: "on call", texts }).errors.get(pointer);
  assert.equal(errorOf("slack", {}, "/config/webhookUrl"), "Enter the webhook URL of Slack.");
  assert.equal(errorOf("webhook", {}, "/config/url"), "Enter the URL.");
  assert.equal(errorOf("telegram", { threadId: "x" }, "/config/threadId"), "Enter a whole number, at least 1.");
  assert.equal(errorOf("ntfy", { priority: "9" }, "/config/priority"), "Enter a whole number from 1 to 5.");
  assert.equal(errorOf("email", { to: "ops@example.org\nhelpdesk" }, "/config/to"), "“helpdesk” is not an e-mail address.");
  assert.equal(errorOf("email", { to: "ops@example.org, dev@example.org" }, "/config/to"), undefined);
});
