import { type StateLook, UNKNOWN } from "../../parts/states";
import { cronWords } from "../../time/cron_words";
import { durationText } from "../../time/format";
import type { Monitor, MonitorResult, MonitorType, Outage } from "./monitor_queries";

export const MONITOR_STATES = {
  down: { word: "Down", sign: "failed", look: "s-down" },
  degraded: { word: "Degraded", sign: "degraded", look: "s-degraded" },
  error: { word: "No evidence", sign: "error", look: "s-error" },
  up: { word: "Up", sign: "passed", look: "s-up" },
  pending: { word: "Pending", sign: "queued", look: "s-pending" },
  paused: { word: "Paused", sign: "paused", look: "s-paused" },
} as const satisfies Record<string, StateLook>;

export const STATUSES = Object.keys(MONITOR_STATES) as (keyof typeof MONITOR_STATES)[];

/** Returns the look of a monitor's status; a status of a newer service is unknown. */
export const monitorState = (status: string): StateLook => (MONITOR_STATES as Record<string, StateLook>)[status] ?? UNKNOWN;

const RESULTS: Record<string, StateLook> = {
  up: MONITOR_STATES.up,
  down: MONITOR_STATES.down,
  timeout: { word: "Timeout", sign: "timed-out", look: "s-timed-out" },
  error: MONITOR_STATES.error,
};

/** Returns the look of one result. A heartbeat that missed its deadline has a word of its own. */
export function resultState(result: Pick<MonitorResult, "status" | "degraded" | "details">): StateLook {
  const look = RESULTS[result.status] ?? UNKNOWN;
  if (result.status === "up" && result.degraded) return { ...MONITOR_STATES.degraded, word: "Up, degraded" };
  return result.details.error?.code === "heartbeat_missed" ? { ...look, word: "Missed" } : look;
}

const ENDS: Record<string, StateLook> = {
  recovered: { word: "Recovered", sign: "passed", look: "s-up" },
  paused: { word: "Paused", sign: "paused", look: "s-paused" },
  edited: { word: "Monitor edited", sign: "queued", look: "s-pending" },
  resumed: { word: "Monitor resumed", sign: "queued", look: "s-pending" },
  deleted: { word: "Monitor deleted", sign: "cancelled", look: "s-cancelled" },
};

/** Returns the look of an outage: open, or what ended it. */
export function outageState(outage: Pick<Outage, "endedAt" | "endReason">): StateLook {
  if (!outage.endedAt) return { word: "Open", sign: "failed", look: "s-down" };
  return ENDS[outage.endReason ?? ""] ?? UNKNOWN;
}

const SUPPRESSED: Record<string, string> = {
  muted: ", because the monitor was muted", provider_disabled: ", because it was disabled",
  too_many_changes: ", because the status changed too often", maintenance: ", because of maintenance",
  dependency: ", because a monitor that this one depends on is down",
};

/** Returns why a provider was not notified, as the end of a sentence; a reason of a newer service has no words. */
export const suppressedWords = (reason: string | null): string => SUPPRESSED[reason ?? ""] ?? "";

export const TYPES: readonly (readonly [MonitorType, string])[] = [
  ["website", "Website"], ["http_request", "HTTP request"], ["ping_host", "Ping"], ["port_check", "Port"], ["dns", "DNS"],
  ["heartbeat", "Heartbeat"],
];

export const typeWord = (type: string): string => TYPES.find(([key]) => key === type)?.[1] ?? type;

interface HeartbeatSchedule {
  everySeconds?: number | null;
  cron?: string | null;
  timeZone?: string | null;
}

/** Returns a schedule of pings in words, such as `Every 5 min` or `Daily at 02:30`. */
export function scheduleWords(config: unknown): string {
  const schedule = (config as { schedule?: HeartbeatSchedule }).schedule ?? {};
  if (schedule.everySeconds) return `Every ${durationText(schedule.everySeconds * 1000)}`;
  return schedule.cron ? (cronWords(schedule.cron) ?? schedule.cron) : "No schedule";
}

/** Returns the target as people write it: with the port, the type of records or the method. */
export function targetText({ type, target, config }: Pick<Monitor, "type" | "target" | "config">): string {
  const values = config as Record<string, unknown>;
  if (type === "heartbeat") return `Heartbeat, ${scheduleWords(config).toLowerCase()}`;
  if (type === "port_check") return `${target}:${String(values.port)}${values.protocol === "udp" ? ", udp" : ""}`;
  if (type === "dns") return `${target} ${String(values.recordType)}`;
  if (type === "http_request" && values.method && values.method !== "GET") return `${String(values.method)} ${target}`;
  return target ?? "";
}

/** Returns the seconds between two checks. */
export const intervalOf = (monitor: Pick<Monitor, "frequencySeconds" | "frequencyMinutes">): number =>
  monitor.frequencySeconds ?? monitor.frequencyMinutes * 60;

export const isMuted = (monitor: Pick<Monitor, "mutedUntil">, now: Date): boolean =>
  Boolean(monitor.mutedUntil) && Date.parse(monitor.mutedUntil!) > now.getTime();

/** Returns the finding of a result in a few words: the error, or the status code. */
export function findingOf({ details }: Pick<MonitorResult, "details">): { code?: string; text: string } {
  if (details.error) return { code: details.error.code, text: details.error.message };
  if (details.statusCode !== undefined) return { text: String(details.statusCode) };
  if (details.proof) return { text: details.proof === "no_icmp_error" ? "The port sent no refusal" : details.proof };
  return { text: "" };
}
