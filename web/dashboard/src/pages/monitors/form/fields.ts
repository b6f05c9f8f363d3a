import type { MonitorType } from "../monitor_queries";

/**
 * The fields of the form by JSON pointer, with the defaults and bounds of the contract. A test compares them with the OpenAPI
 * document. A value that equals its default is left out of a body, so that configs stay short.
 */
export type Field =
  | { pointer: string; kind: "whole"; label: string; minimum: number; maximum: number; default?: number; required?: boolean }
  | { pointer: string; kind: "text"; label: string; default?: string; required?: boolean }
  | { pointer: string; kind: "flag"; label: string; default: boolean }
  /** Whole numbers, separated by commas. */
  | { pointer: string; kind: "wholes"; label: string; minimum: number; maximum: number; most: number };

const whole = (pointer: string, label: string, minimum: number, maximum: number, standard?: number): Field =>
  ({ pointer, kind: "whole", label, minimum, maximum, ...(standard === undefined ? {} : { default: standard }) });
const text = (pointer: string, label: string, standard?: string): Field =>
  ({ pointer, kind: "text", label, ...(standard === undefined ? {} : { default: standard }) });
const flag = (pointer: string, label: string, standard: boolean): Field => ({ pointer, kind: "flag", label, default: standard });

const CHECK: Field[] = [
  whole("/config/timeoutSeconds", "Timeout of an attempt, s", 1, 60),
  whole("/config/retryStrategy/maxRetries", "Retries", 0, 5),
  whole("/config/retryStrategy/delaySeconds", "First delay, s", 1, 10, 1),
  whole("/config/retryStrategy/backoffFactor", "Delay factor", 1, 4, 2),
  whole("/config/degradedAfterMs", "Degraded after, ms", 1, 60_000),
];

const WEB: Field[] = [
  text("/config/keywordInBody", "Keyword in the body"),
  flag("/config/keywordInBodyShouldBePresent", "The body must have the keyword", true),
  text("/config/responseBodyJsonPath/path", "Path in the JSON"),
  text("/config/responseBodyJsonPath/expectedValue", "Expected value"),
  text("/config/auth/type", "Sign in", "none"),
  text("/config/auth/username", "User name"),
  text("/config/auth/password", "Password"),
  text("/config/auth/token", "Token"),
  flag("/config/followRedirects", "Follow redirects", true),
  whole("/config/maxRedirects", "Most redirects", 0, 10, 5),
  text("/config/ipVersion", "IP version", "auto"),
  whole("/config/maxBodyBytes", "Most bytes of the body", 1024, 4_194_304, 1_048_576),
  text("/config/capture", "Keep the start of a bad answer", "never"),
  flag("/config/tls/verify", "Verify the certificate", true),
  text("/config/tls/serverName", "Server name"),
  text("/config/tls/minVersion", "Lowest TLS version", "1.2"),
  text("/config/tls/ca", "Authorities"),
  text("/config/tls/clientCertificate", "Client certificate"),
  text("/config/tls/clientKey", "Client key"),
  flag("/config/enableSslCheck", "Watch the end of the certificate", true),
  { pointer: "/config/sslWarningDays", kind: "wholes", label: "Warnings, days before", minimum: 1, maximum: 365, most: 5 },
];

const COMMON: Field[] = [
  { pointer: "/name", kind: "text", label: "Name", required: true },
  text("/description", "Description"),
];
const TARGET: Field = { pointer: "/target", kind: "text", label: "Target", required: true };
const INTERVAL: Field = whole("/frequencySeconds", "Interval", 10, 86_400, 300);

export const ALERTS: Field[] = [
  flag("/alertConfig/enabled", "Enabled", false),
  flag("/alertConfig/alertOnFailure", "Failure", true),
  flag("/alertConfig/alertOnRecovery", "Recovery", true),
  flag("/alertConfig/alertOnDegraded", "Degraded", false),
  flag("/alertConfig/alertOnError", "No evidence", true),
  flag("/alertConfig/alertOnSslExpiration", "Certificate expires", false),
  whole("/alertConfig/failureThreshold", "Failed checks until down", 1, 100, 1),
  whole("/alertConfig/recoveryThreshold", "Good checks until up", 1, 100, 1),
  whole("/alertConfig/reminderMinutes", "Reminder every, min", 5, 10_080),
  text("/alertConfig/customMessage", "Text for the message", ""),
];

const HTTP: Field[] = [
  text("/config/method", "Method", "GET"),
  text("/config/body", "Body"),
  text("/config/expectedStatusCodes", "Expected status codes", "200-299"),
];

const OWN: Record<MonitorType, Field[]> = {
  http_request: [TARGET, INTERVAL, ...HTTP, ...WEB, ...CHECK],
  website: [TARGET, INTERVAL, ...WEB, ...CHECK],
  ping_host: [
    TARGET, INTERVAL, ...CHECK,
    whole("/config/count", "Pings", 1, 10, 3),
    whole("/config/intervalMs", "Pause between pings, ms", 200, 1000, 200),
    whole("/config/payloadBytes", "Bytes of a ping", 0, 1400, 56),
    whole("/config/maxLossPercent", "Most lost replies, %", 0, 99, 99),
    text("/config/ipVersion", "IP version", "auto"),
  ],
  port_check: [
    TARGET, INTERVAL, ...CHECK,
    { pointer: "/config/port", kind: "whole", label: "Port", minimum: 1, maximum: 65_535, required: true },
    text("/config/protocol", "Protocol", "tcp"),
    flag("/config/expectClosed", "The port must be closed", false),
    flag("/config/tls", "Open a TLS connection", false),
    text("/config/send", "Send"),
    text("/config/expect", "Expect"),
    text("/config/ipVersion", "IP version", "auto"),
  ],
  dns: [
    TARGET, INTERVAL, ...CHECK,
    { pointer: "/config/recordType", kind: "text", label: "Type of the records", required: true },
    text("/config/resolver", "Resolver"),
    text("/config/expectedRcode", "Expected answer", "NOERROR"),
  ],
  heartbeat: [
    whole("/config/schedule/everySeconds", "A ping at least every, s", 30, 2_592_000),
    text("/config/schedule/cron", "Cron expression"),
    text("/config/schedule/timeZone", "Time zone"),
    whole("/config/graceSeconds", "Grace, s", 0, 604_800, 300),
    whole("/config/startGraceSeconds", "The start may be late by, s", 0, 604_800),
    whole("/config/maxDurationSeconds", "Longest duration, s", 1, 2_592_000),
    whole("/config/earlySeconds", "A ping may be early by, s", 0, 3600, 60),
    text("/config/methods", "Methods that count", "any"),
  ],
};

const byType = new Map<MonitorType, Field[]>();

/** Returns all fields of a type. */
export function fieldsOf(type: MonitorType): Field[] {
  let found = byType.get(type);
  if (!found) byType.set(type, (found = [...COMMON, ...OWN[type], ...ALERTS]));
  return found;
}

/** Returns the pointer of the field that shows the refusal of a pointer: itself, or the list that holds it. */
export function placeOf(type: MonitorType, pointer: string): string {
  if (pointer === "/frequencyMinutes") return "/frequencySeconds";
  if (pointer.startsWith("/dependsOn/")) return "/dependsOn";
  if (fieldsOf(type).some((one) => one.pointer === pointer)) return pointer;
  return fieldsOf(type).find((one) => pointer.startsWith(`${one.pointer}/`))?.pointer ?? pointer;
}

const LISTS: Record<string, string> = {
  "/config/headers": "Headers", "/config/assertions": "Assertions", "/alertConfig/notificationProviders": "Notification providers",
  "/config/auth": "Sign in", "/config/retryStrategy": "Retries", "/alertConfig": "Alerts",
  "/dependsOn": "Depends on",
};

/** Returns the label of the field at a pointer. */
export function labelAt(type: MonitorType, pointer: string): string {
  const field = fieldsOf(type).find((one) => one.pointer === pointer);
  if (field) return field.label;
  if (pointer.startsWith("/config/headers/")) return `Header ${pointer.slice("/config/headers/".length)}`;
  const assertion = /^\/config\/assertions\/(\d+)/.exec(pointer);
  if (assertion) return `Assertion ${Number(assertion[1]) + 1}`;
  return LISTS[pointer] ?? (pointer.replace(/^\/(?:config|alertConfig)?\/?/, "") || "Monitor");
}

/** Types with headers or assertions, which are lists. */
export const HAS_HEADERS: readonly MonitorType[] = ["http_request", "website"];
export const HAS_ASSERTIONS: readonly MonitorType[] = ["http_request", "website", "dns"];

/** Returns the id of a field's element. */
export const idOf = (pointer: string): string => `m${pointer.replaceAll("/", "-")}`;
