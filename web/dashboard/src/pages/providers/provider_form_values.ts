import type { PointerErrors } from "../../parts/use_tested_form";
import { type Json, type JsonObject, isObject, valueAt } from "../monitors/form/merge_patch";
import { MASK } from "../monitors/form/values";
import type { ProviderType } from "./provider_queries";

/** A field of a provider's form, by its name in `config`. */
export type ProviderField = { name: string; label: string; hint?: string } & (
  | { kind: "text" | "secret" | "area"; required?: boolean; placeholder?: string; default?: string }
  | { kind: "choice"; default: string; options: readonly (readonly [string, string])[] }
  | { kind: "whole"; minimum: number; maximum: number; default?: number }
  /** Addresses, one in each line. */
  | { kind: "lines"; most: number }
  | { kind: "headers"; most: number }
  /** The signing secret, which the service makes. */
  | { kind: "signing" }
);

const hook = (label: string, hint: string): ProviderField[] => [
  { name: "webhookUrl", label, kind: "secret", required: true, hint },
];

export const PROVIDER_FIELDS: Record<ProviderType, ProviderField[]> = {
  email: [{ name: "to", label: "Recipients", kind: "lines", most: 20, hint: "One address in each line." }],
  slack: [
    ...hook("Webhook URL of Slack", "Of an app with incoming webhooks, such as https://hooks.slack.com/services/…"),
    { name: "channel", label: "Channel", kind: "text", placeholder: "#alerts", hint: "Only for webhooks that may choose it." },
  ],
  webhook: [
    {
      name: "url", label: "URL", kind: "secret", required: true,
      hint: "Plain http only reaches addresses that the operator opens.",
    },
    { name: "method", label: "Method", kind: "choice", default: "POST", options: [["POST", "POST"], ["PUT", "PUT"]] },
    { name: "headers", label: "Headers", kind: "headers", most: 20 },
    { name: "signingSecret", label: "Signature", kind: "signing" },
    {
      name: "bodyTemplate", label: "Body", kind: "area",
      hint: "JSON in place of the usual body. In its strings {{title}}, {{message}}, {{status}} and others are replaced.",
    },
  ],
  telegram: [
    {
      name: "botToken", label: "Token of the bot", kind: "secret", required: true,
      hint: "BotFather in Telegram shows it, such as 123456:ABC…",
    },
    {
      name: "chatId", label: "Chat", kind: "text", required: true, placeholder: "-1001234567890",
      hint: "The number of the chat, or @name of a public channel. The bot is a member of it.",
    },
    { name: "threadId", label: "Topic of the group", kind: "whole", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  ],
  discord: hook("Webhook URL of Discord", "In the settings of the channel: Integrations, Webhooks."),
  teams: hook("Webhook URL of Teams (Workflows)", "Of a workflow that starts when a webhook request is received."),
  pagerduty: [
    {
      name: "routingKey", label: "Integration key", kind: "secret", required: true,
      hint: "Of an integration with the Events API v2 in a PagerDuty service.",
    },
    { name: "region", label: "Region", kind: "choice", default: "us", options: [["us", "US"], ["eu", "EU"]] },
    {
      name: "severity", label: "Severity of failures", kind: "choice", default: "critical",
      options: [["critical", "Critical"], ["error", "Error"], ["warning", "Warning"], ["info", "Info"]],
    },
  ],
  ntfy: [
    { name: "server", label: "Server", kind: "text", default: "https://ntfy.sh" },
    {
      name: "topic", label: "Topic", kind: "text", required: true,
      hint: "Everybody who knows the topic of a public server can read its messages.",
    },
    { name: "token", label: "Access token", kind: "secret" },
    { name: "priority", label: "Priority of failures", kind: "whole", minimum: 1, maximum: 5, default: 4 },
  ],
};

const OWN_LABELS: Record<string, string> = {
  "/name": "Name", "/enabled": "Enabled", "/groupSeconds": "Seconds that alerts wait for others",
  "/ratePerMinute": "Messages a minute, at most",
};

/** Returns the label of the field at a JSON pointer. */
export function providerLabel(type: ProviderType, pointer: string): string {
  if (pointer.startsWith("/config/headers/")) return `Header ${pointer.slice("/config/headers/".length)}`;
  return OWN_LABELS[pointer] ?? PROVIDER_FIELDS[type].find((one) => pointer === `/config/${one.name}`)?.label ?? pointer.slice(1);
}

/** Returns the seconds that alerts of a type wait for others, unless a provider has its own. */
export const standardGroup = (type: string): number => (type === "webhook" || type === "pagerduty" ? 0 : 30);

export const GROUP = { minimum: 0, maximum: 300 };
export const RATE = { minimum: 1, maximum: 600 };

export interface ProviderHeader {
  id: number;
  name: string;
  value: string;
}

export interface ProviderValues {
  name: string;
  enabled: boolean;
  groupSeconds: string;
  ratePerMinute: string;
  /** Texts of the config by name. */
  texts: Record<string, string>;
  headers: ProviderHeader[];
  /** `keep` leaves a stored secret as it is. */
  signing: "none" | "keep" | "generate";
}

let rows = 0;
export const newHeaderRow = (): number => ++rows;

/** Returns the values of the form for a body; members that it lacks have their defaults. */
export function providerValues(type: ProviderType, body: JsonObject): ProviderValues {
  const signing = valueAt(body, "/config/signingSecret");
  const values: ProviderValues = {
    name: String(body.name ?? ""), enabled: body.enabled !== false,
    groupSeconds: body.groupSeconds == null ? "" : String(body.groupSeconds),
    ratePerMinute: body.ratePerMinute == null ? "" : String(body.ratePerMinute), texts: {}, headers: [],
    signing: signing === undefined ? "none" : signing === "generate" ? "generate" : "keep",
  };
  for (const field of PROVIDER_FIELDS[type]) {
    const value = valueAt(body, `/config/${field.name}`);
    if (field.kind === "headers") {
      const entries = isObject(value) ? Object.entries(value) : [];
      values.headers = entries.map(([name, text]) => ({ id: newHeaderRow(), name, value: String(text) }));
    } else if (field.kind !== "signing") {
      const standard = "default" in field && field.default !== undefined ? String(field.default) : "";
      values.texts[field.name] = Array.isArray(value) ? value.join("\n") : value == null ? standard : String(value);
    }
  }
  return values;
}

function wholeOf(text: string, { minimum, maximum }: { minimum: number; maximum: number }): number | string {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  if (maximum === Number.MAX_SAFE_INTEGER) return `Enter a whole number, at least ${minimum}.`;
  return `Enter a whole number from ${minimum} to ${maximum}.`;
}

function headersOf(rowsOf: readonly ProviderHeader[], errors: PointerErrors): JsonObject {
  const headers: JsonObject = {};
  for (const { name, value } of rowsOf) {
    const trimmed = name.trim();
    if (!trimmed && !value) continue;
    if (!trimmed) errors.set("/config/headers", "Enter a name for each header.");
    else if (trimmed in headers) errors.set("/config/headers", `Enter the header ${trimmed} only once.`);
    else headers[trimmed] = value;
  }
  return headers;
}

const ADDRESS = /^[^@]+@[^@]+$/;

/** Returns the label as a part of a sentence: `webhook URL of Slack`, but `URL`. */
const labelInside = (label: string): string => (/^[A-Z]{2}/.test(label) ? label : label[0]!.toLowerCase() + label.slice(1));

function configValue(field: ProviderField, values: ProviderValues, errors: PointerErrors): Json | undefined {
  const pointer = `/config/${field.name}`;
  if (field.kind === "headers") {
    const headers = headersOf(values.headers, errors);
    return Object.keys(headers).length ? headers : undefined;
  }
  if (field.kind === "signing") return values.signing === "none" ? undefined : values.signing === "generate" ? "generate" : MASK;
  const text = (values.texts[field.name] ?? "").trim();
  if (field.kind === "lines") {
    const lines = text.split(/[\s,;]+/).filter(Boolean);
    if (!lines.length) errors.set(pointer, "Enter at least one address.");
    else if (lines.length > field.most) errors.set(pointer, `Enter at most ${field.most} addresses.`);
    else if (lines.some((line) => !ADDRESS.test(line))) {
      errors.set(pointer, `“${lines.find((line) => !ADDRESS.test(line))}” is not an e-mail address.`);
    } else if (new Set(lines).size < lines.length) errors.set(pointer, "Enter each address only once.");
    return lines;
  }
  if (text === "") {
    if ("required" in field && field.required) errors.set(pointer, `Enter the ${labelInside(field.label)}.`);
    return undefined;
  }
  if (field.kind === "whole") {
    const value = wholeOf(text, field);
    if (typeof value === "number") return value === field.default ? undefined : value;
    errors.set(pointer, value);
    return undefined;
  }
  return text === (field as { default?: string }).default ? undefined : text;
}

/** Returns the body of the form, and what is wrong by JSON pointer. */
export function providerBody(type: ProviderType, values: ProviderValues): { body: JsonObject; errors: PointerErrors } {
  const errors: PointerErrors = new Map();
  const config: JsonObject = {};
  const name = values.name.trim();
  if (!name) errors.set("/name", "Enter a name.");
  for (const field of PROVIDER_FIELDS[type]) {
    const value = configValue(field, values, errors);
    if (value !== undefined) config[field.name] = value;
  }
  const body: JsonObject = { name, enabled: values.enabled, config };
  for (const [key, bounds] of [["groupSeconds", GROUP], ["ratePerMinute", RATE]] as const) {
    const text = values[key].trim();
    if (text === "" || (key === "groupSeconds" && type === "pagerduty")) continue;
    const value = wholeOf(text, bounds);
    if (typeof value === "number") body[key] = value;
    else errors.set(`/${key}`, value);
  }
  return { body, errors };
}

/** Returns the pointers of masked secrets of a body. */
export function maskedPointers(body: JsonObject, prefix = "/config"): string[] {
  const config = valueAt(body, prefix);
  if (!isObject(config)) return [];
  return Object.entries(config).flatMap(([name, value]) =>
    value === MASK ? [`${prefix}/${name}`] : isObject(value) ? maskedPointers(body, `${prefix}/${name}`) : []);
}

// A change of these asks for the secrets again.
const ADDRESSES = ["/config/url", "/config/chatId", "/config/server", "/config/topic"];

/** Returns what is wrong with the masked secrets of a changed provider: they stay with its address and their names. */
export function providerMaskErrors(before: JsonObject, after: JsonObject): PointerErrors {
  const errors: PointerErrors = new Map();
  const stored = new Set(maskedPointers(before));
  const moved = ADDRESSES.some((pointer) => valueAt(before, pointer) !== valueAt(after, pointer));
  for (const pointer of maskedPointers(after)) {
    if (moved) errors.set(pointer, "The address has changed. Enter this secret again, or remove it.");
    else if (!stored.has(pointer)) errors.set(pointer, "Enter the value. A stored secret stays with its name.");
  }
  return errors;
}
