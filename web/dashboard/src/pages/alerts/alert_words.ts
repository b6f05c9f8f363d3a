import type { PublicSchemas } from "../../../../api/client";
import { type StateLook, UNKNOWN } from "../../parts/states";
import { reasonWords } from "../providers/provider_words";

export type Alert = PublicSchemas["Alert"];
export type AlertType = PublicSchemas["AlertType"];
export type AlertStatus = PublicSchemas["AlertStatus"];

export const ALERT_STATES = {
  sent: { word: "Sent", sign: "passed", look: "s-passed" },
  pending: { word: "Waiting", sign: "queued", look: "s-pending" },
  failed: { word: "Failed", sign: "failed", look: "s-failed" },
  suppressed: { word: "Suppressed", sign: "cancelled", look: "s-disabled" },
} as const satisfies Record<AlertStatus, StateLook>;

export const ALERT_STATUSES = Object.keys(ALERT_STATES) as AlertStatus[];

export const alertState = (status: string): StateLook => (ALERT_STATES as Record<string, StateLook>)[status] ?? UNKNOWN;

export const ALERT_TYPES: readonly (readonly [AlertType, string])[] = [
  ["monitor_failure", "Monitor is down"], ["monitor_recovery", "Monitor recovered"], ["monitor_degraded", "Monitor is degraded"],
  ["monitor_error", "Monitor has no evidence"], ["ssl_expiring", "Certificate expires"], ["job_failed", "Job failed"],
  ["job_timeout", "Job timed out"], ["job_success", "Job passed"], ["job_recovered", "Job recovered"],
  ["provider_failing", "Provider is failing"], ["status_page_post", "Post of a status page"],
];

const SUPPRESSED: Record<string, string> = {
  muted: "The monitor was muted", provider_disabled: "The provider was disabled",
  too_many_changes: "The status of the monitor changed too often", maintenance: "The monitor was in maintenance",
  dependency: "A monitor that it depends on was down",
};

/** Returns what became of an alert, without times. */
export function deliveryWords(alert: Pick<Alert, "status" | "attempts" | "suppressedBy" | "error" | "grouped" | "maybeRepeated">): string {
  const count = alert.attempts === 1 ? "1 attempt" : `${alert.attempts} attempts`;
  const answer = alert.error?.status ? `, ${alert.error.status}` : "";
  const reason = alert.error ? `${reasonWords(alert.error.reason)}${answer}` : "";
  if (alert.status === "suppressed") return SUPPRESSED[alert.suppressedBy ?? ""] ?? "It was recorded but not sent";
  if (alert.status === "failed") return `Failed after ${count}${reason && `: ${reason}`}`;
  if (alert.status === "sent") {
    const notes = [alert.grouped && "with other alerts in one message", alert.maybeRepeated && "it may have arrived twice"].filter(Boolean);
    const words = alert.attempts > 1 ? `Delivered at attempt ${alert.attempts}` : "Delivered";
    return [words, ...notes, reason].filter(Boolean).join(", ");
  }
  if (!alert.attempts) return "Waits for its turn";
  return `Attempt ${alert.attempts} failed${reason && `: ${reason}`}`;
}

/** Returns a short heading: the message without the cause, which follows its first colon. */
export function alertTitle(alert: Pick<Alert, "message" | "targetName" | "metadata">): { title: string; cause?: string } {
  const cause = alert.metadata.errorMessage ?? undefined;
  const at = cause ? alert.message.indexOf(`: ${cause}`) : -1;
  return at > 0 ? { title: alert.message.slice(0, at), cause } : { title: alert.message };
}
