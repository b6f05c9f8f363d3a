import type { PublicSchemas } from "../../../../../api/client";
import { changesBetween } from "../../../parts/differences";
import type { Job } from "../../project_queries";

export type JobBody = Required<Omit<PublicSchemas["UpdateJob"], "enabled">> & { enabled: boolean };
export type JobField = keyof JobBody;
type AlertBody = NonNullable<PublicSchemas["AlertConfig"]>;

/** The rule for a parameter that a trigger leaves out. */
export type ParameterRule = "optional" | "required" | "default";

export interface ParameterValues {
  /** Names the row while it is edited. */
  key: number;
  name: string;
  rule: ParameterRule;
  default: string;
  /** The contract allows a default for a required parameter; an edit keeps that. */
  required: boolean;
}

export interface AlertValues {
  enabled: boolean;
  notificationProviders: string[];
  alertOnFailure: boolean;
  alertOnSuccess: boolean;
  alertOnTimeout: boolean;
  alertOnRecovery: boolean;
  failureThreshold: string;
  recoveryThreshold: string;
  customMessage: string;
}

/** What the form holds. Each member is named as the one of the API that it becomes. */
export interface JobValues {
  name: string;
  description: string;
  enabled: boolean;
  tests: string[];
  cronSchedule: string;
  timeZone: string;
  timeoutSeconds: string;
  maxConcurrentRuns: string;
  parameters: ParameterValues[];
  alertConfig: AlertValues;
}

export const NO_ALERTS: AlertValues = {
  enabled: false, notificationProviders: [], alertOnFailure: true, alertOnSuccess: false, alertOnTimeout: true, alertOnRecovery: false,
  failureThreshold: "1", recoveryThreshold: "1", customMessage: "",
};

export const NEW_JOB: JobValues = {
  name: "", description: "", enabled: true, tests: [], cronSchedule: "", timeZone: "UTC", timeoutSeconds: "3600", maxConcurrentRuns: "",
  parameters: [], alertConfig: NO_ALERTS,
};

export const FIELD_WORDS: Record<JobField, string> = {
  name: "Name", description: "Description", enabled: "Enabled", tests: "Tests", cronSchedule: "Schedule", timeZone: "Time zone",
  timeoutSeconds: "Time limit", maxConcurrentRuns: "Concurrent runs", parameters: "Parameters", alertConfig: "Alerts",
};

let lastKey = 0;
export const nextKey = (): number => ++lastKey;

function alertValues(config: Job["alertConfig"]): AlertValues {
  const { failureThreshold, recoveryThreshold, ...rest } = config ?? {};
  return {
    ...NO_ALERTS, ...rest, failureThreshold: String(failureThreshold ?? 1), recoveryThreshold: String(recoveryThreshold ?? 1),
  };
}

/** Returns the form of a job. */
export const valuesOf = (job: Job): JobValues => ({
  name: job.name,
  description: job.description ?? "",
  enabled: job.enabled,
  tests: job.tests.map((one) => one.id),
  cronSchedule: job.cronSchedule ?? "",
  timeZone: job.timeZone,
  timeoutSeconds: String(job.timeoutSeconds),
  maxConcurrentRuns: job.maxConcurrentRuns == null ? "" : String(job.maxConcurrentRuns),
  parameters: (job.parameters ?? []).map((one) => ({
    key: nextKey(), name: one.name, default: one.default ?? "", required: one.required ?? false,
    rule: one.default != null ? "default" : one.required ? "required" : "optional",
  })),
  alertConfig: alertValues(job.alertConfig),
});

function alertBody(values: AlertValues): AlertBody | null {
  // A job without alerts has none of their settings.
  if (JSON.stringify({ ...NO_ALERTS, ...values }) === JSON.stringify(NO_ALERTS)) return null;
  return { ...values, failureThreshold: Number(values.failureThreshold), recoveryThreshold: Number(values.recoveryThreshold) };
}

/** Returns what the form says in the words of the API, whether or not it may be saved. */
export const bodyOf = (values: JobValues): JobBody => ({
  name: values.name.trim(),
  description: values.description.trim() || null,
  enabled: values.enabled,
  tests: values.tests.map((id) => ({ id })),
  cronSchedule: values.cronSchedule.trim().replace(/\s+/g, " ") || null,
  timeZone: values.timeZone.trim(),
  timeoutSeconds: Number(values.timeoutSeconds),
  maxConcurrentRuns: values.maxConcurrentRuns.trim() ? Number(values.maxConcurrentRuns) : null,
  parameters: values.parameters.map((one) => ({
    name: one.name.trim(),
    required: one.rule === "required" || (one.rule === "default" && one.required),
    default: one.rule === "default" ? one.default : null,
  })),
  alertConfig: alertBody(values.alertConfig),
});

export interface FieldError {
  /** Id of the input. */
  id: string;
  text: string;
}

const isWhole = (text: string, most: number) => /^\d{1,6}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most;
const PARAMETER = /^[A-Z][A-Z0-9_]{0,63}$/;
const MOST_PROVIDERS = 10;

/** Returns what has to change before the form can be saved. The service checks everything again. */
export function errorsOf(values: JobValues): FieldError[] {
  const errors: FieldError[] = [];
  const demand = (holds: boolean, id: string, text: string) => void (holds || errors.push({ id, text }));
  demand(values.name.trim() !== "", "job-name", "Enter a name.");
  const { cronSchedule, parameters, alertConfig } = values;
  const fields = cronSchedule.trim().split(/\s+/).length;
  demand(!cronSchedule.trim() || fields === 5, "job-cronSchedule", `A schedule has five fields; this one has ${fields}.`);
  demand(!cronSchedule.trim() || values.timeZone.trim() !== "", "job-timeZone", "Enter a time zone, such as Europe/Berlin.");
  demand(isWhole(values.timeoutSeconds, 86_400), "job-timeoutSeconds", "Enter whole seconds from 1 to 86 400.");
  const most = values.maxConcurrentRuns.trim();
  demand(!most || isWhole(most, 10_000), "job-maxConcurrentRuns", "Enter a whole number from 1 to 10 000, or nothing.");
  const names = parameters.map((one) => one.name.trim());
  parameters.forEach((one, at) => {
    const id = `job-parameter-${one.key}`;
    demand(PARAMETER.test(names[at]!), id, "A parameter has a capital letter and at most 63 capital letters, digits or underscores.");
    demand(names.indexOf(names[at]!) === at, id, `Two parameters have the name ${names[at]}.`);
  });
  demand(isWhole(alertConfig.failureThreshold, 10_000), "job-failureThreshold", "Enter a whole number from 1 to 10 000.");
  demand(isWhole(alertConfig.recoveryThreshold, 10_000), "job-recoveryThreshold", "Enter a whole number from 1 to 10 000.");
  demand(
    alertConfig.notificationProviders.length <= MOST_PROVIDERS, "job-providers", `Choose at most ${MOST_PROVIDERS} notification providers.`,
  );
  return errors;
}

/** Returns the id of the input that a detail of a refusal is about, such as `/parameters/1/name`. */
export function inputOf(pointer: string, values: JobValues): string {
  const [, field = "", second = ""] = pointer.split("/");
  if (field === "parameters") return `job-parameter-${values.parameters[Number(second)]?.key ?? values.parameters[0]?.key ?? ""}`;
  if (field === "alertConfig") return second === "notificationProviders" ? "job-providers" : `job-${second || "providers"}`;
  return `job-${field}`;
}

/** Returns the members that differ: the merge patch that makes `after` of `before`. */
export const changesOf = (before: JobBody, after: JobBody): Partial<JobBody> => changesBetween(before, after);
