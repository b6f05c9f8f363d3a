import assert from "node:assert/strict";
import { test } from "node:test";
import { alertWords } from "../../../web/dashboard/src/pages/jobs/alert_conditions";
import { differencesOf, fieldText, withSaved } from "../../../web/dashboard/src/pages/jobs/edit/job_conflict";
import {
  type JobValues, NEW_JOB, bodyOf, changesOf, errorsOf, inputOf, valuesOf,
} from "../../../web/dashboard/src/pages/jobs/edit/job_values";
import type { Job } from "../../../web/dashboard/src/pages/project_queries";
import { moved } from "../../../web/dashboard/src/parts/order";

const job = {
  id: "01934f2e-4444-7d3e-9b1f-5a2c8e4d6f70", name: "nightly", description: null, jobType: "command",
  tests: [{ id: "a" }, { id: "b" }], cronSchedule: "0 3 * * *", timeZone: "UTC", enabled: true, timeoutSeconds: 3600,
  maxConcurrentRuns: null, alertConfig: null,
  parameters: [
    { name: "BRANCH", required: false, default: "main" }, { name: "KEY", required: true, default: null },
    { name: "NOTE", required: false, default: null }, { name: "BOTH", required: true, default: "" },
  ],
} as unknown as Job;

const values = (part: Partial<JobValues> = {}): JobValues => ({ ...NEW_JOB, name: "nightly", ...part });
const nameOf = (id: string) => `test ${id}`;

test("A form that nobody touched changes nothing of the job", () => {
  const body = bodyOf(valuesOf(job));
  assert.deepEqual(body.parameters, job.parameters);
  assert.deepEqual(body.tests, job.tests);
  assert.equal(body.alertConfig, null);
  assert.deepEqual(changesOf(body, bodyOf(valuesOf(job))), {});
  const alerts = { ...job, alertConfig: { enabled: true, notificationProviders: ["p"], failureThreshold: 3 } } as unknown as Job;
  assert.deepEqual(changesOf(bodyOf(valuesOf(alerts)), bodyOf(valuesOf(alerts))), {});
  assert.equal(bodyOf(valuesOf(alerts)).alertConfig?.failureThreshold, 3);
});

test("A save sends the members that changed, and no other ones", () => {
  const start = valuesOf(job);
  const before = bodyOf(start);
  const cases: [Partial<JobValues>, object][] = [
    [{ name: " weekly " }, { name: "weekly" }],
    [{ description: "  " }, {}],
    [{ description: "x" }, { description: "x" }],
    [{ tests: ["b", "a"] }, { tests: [{ id: "b" }, { id: "a" }] }],
    [{ cronSchedule: "" }, { cronSchedule: null }],
    [{ cronSchedule: " 0  3 * * * " }, {}],
    [{ maxConcurrentRuns: "2", timeoutSeconds: "60" }, { maxConcurrentRuns: 2, timeoutSeconds: 60 }],
    [{ enabled: false }, { enabled: false }],
    [{ parameters: start.parameters.slice(0, 1) }, { parameters: [{ name: "BRANCH", required: false, default: "main" }] }],
    [{ parameters: start.parameters.map((one) => ({ ...one, key: one.key + 100 })) }, {}],
  ];
  for (const [part, expected] of cases) assert.deepEqual(changesOf(before, bodyOf({ ...start, ...part })), expected);
  const notified = changesOf(before, bodyOf({ ...start, alertConfig: { ...start.alertConfig, enabled: true, failureThreshold: "2" } }));
  assert.deepEqual(Object.keys(notified), ["alertConfig"]);
  assert.equal(notified.alertConfig?.failureThreshold, 2);
});

test("A form names each field that has to change", () => {
  const parameter = (key: number, name: string) => ({ key, name, rule: "optional", default: "", required: false }) as const;
  const cases: [Partial<JobValues>, string[]][] = [
    [{}, []],
    [{ name: " " }, ["job-name"]],
    [{ cronSchedule: "0 3 * *" }, ["job-cronSchedule"]],
    [{ cronSchedule: "0 3 * * *", timeZone: " " }, ["job-timeZone"]],
    [{ timeZone: "" }, []],
    [{ timeoutSeconds: "0" }, ["job-timeoutSeconds"]], [{ timeoutSeconds: "86400" }, []],
    [{ timeoutSeconds: "86401" }, ["job-timeoutSeconds"]], [{ timeoutSeconds: "1.5" }, ["job-timeoutSeconds"]],
    [{ maxConcurrentRuns: "10000" }, []], [{ maxConcurrentRuns: "10001" }, ["job-maxConcurrentRuns"]],
    [{ parameters: [parameter(7, "branch")] }, ["job-parameter-7"]],
    [{ parameters: [parameter(7, "A"), parameter(8, " A")] }, ["job-parameter-8"]],
    [{ parameters: [parameter(7, `A${"B".repeat(63)}`)] }, []], [{ parameters: [parameter(7, `A${"B".repeat(64)}`)] }, ["job-parameter-7"]],
    [{ alertConfig: { ...NEW_JOB.alertConfig, failureThreshold: "" } }, ["job-failureThreshold"]],
    [{ alertConfig: { ...NEW_JOB.alertConfig, notificationProviders: Array.from({ length: 11 }, String) } }, ["job-providers"]],
  ];
  for (const [part, ids] of cases) assert.deepEqual(errorsOf(values(part)).map((one) => one.id), ids, JSON.stringify(part));
});

test("A refusal of the service leads to the field that it is about", () => {
  const filled = valuesOf(job);
  const cases: [string, string][] = [
    ["/cronSchedule", "job-cronSchedule"], ["/tests/3/id", "job-tests"], ["/alertConfig/notificationProviders/0", "job-providers"],
    ["/alertConfig/failureThreshold", "job-failureThreshold"], ["/parameters/1/name", `job-parameter-${filled.parameters[1]!.key}`],
  ];
  for (const [pointer, id] of cases) assert.equal(inputOf(pointer, filled), id, pointer);
});

test("A conflict shows both versions of each member, and starts with the one that somebody changed", () => {
  const base = bodyOf(valuesOf(job));
  const saved = bodyOf(valuesOf({ ...job, timeoutSeconds: 600, tests: [{ id: "b" }, { id: "a" }] } as Job));
  const mine = { ...base, timeoutSeconds: 900, name: "mine" };
  const differences = differencesOf(base, saved, mine, nameOf);
  assert.deepEqual(differences.map(({ field, saved: theirs, mine: own, start }) => [field, theirs, own, start]), [
    ["name", "nightly", "mine", "mine"],
    ["tests", "1. test b\n2. test a", "1. test a\n2. test b", "saved"],
    ["timeoutSeconds", "10\u00a0min", "15\u00a0min", "mine"],
  ]);
  assert.deepEqual(differencesOf(base, mine, mine, nameOf), []);
});

test("A conflict keeps the own version of all members that are not given up", () => {
  const mine = { ...valuesOf(job), name: "mine", timeoutSeconds: "900", cronSchedule: "" };
  const saved = valuesOf({ ...job, timeoutSeconds: 600 } as Job);
  const merged = withSaved(mine, saved, ["timeoutSeconds"]);
  assert.deepEqual([merged.name, merged.timeoutSeconds, merged.cronSchedule], ["mine", "600", ""]);
});

test("Each member of a job has words", () => {
  const body = bodyOf(valuesOf({ ...job, maxConcurrentRuns: 2, alertConfig: { enabled: true, notificationProviders: ["p"] } } as Job));
  const cases: [Parameters<typeof fieldText>[0], RegExp][] = [
    ["enabled", /^yes$/], ["cronSchedule", /^Daily at 03:00: 0 3 \* \* \*$/], ["maxConcurrentRuns", /^at most 2$/],
    ["parameters", /BRANCH, default main\nKEY, required\nNOTE\nBOTH, required, default empty/],
    ["alertConfig", /enabled: true\nnotificationProviders: test p/], ["description", /^none$/], ["timeZone", /^UTC$/],
  ];
  for (const [field, text] of cases) assert.match(fieldText(field, body, nameOf), text, field);
  assert.equal(fieldText("cronSchedule", { ...body, cronSchedule: "7 7 1-3 * *" }, nameOf), "7 7 1-3 * *");
});

test("A moved entry stays within its list", () => {
  const cases: [number, number, string][] = [[0, 2, "bca"], [2, 0, "cab"], [1, 9, "acb"], [1, -5, "bac"], [5, 0, "abc"], [1, 1, "abc"]];
  for (const [from, to, expected] of cases) assert.equal(moved(["a", "b", "c"], from, to).join(""), expected, `${from} to ${to}`);
});

test("Only alerts about failures and about passed runs have a threshold in their words", () => {
  const thresholds = { failureThreshold: 3, recoveryThreshold: 2 };
  const cases: [Parameters<typeof alertWords>[0], string[]][] = [
    [{ ...thresholds }, []],
    [{ alertOnFailure: true }, ["Each run that failed or had an error"]],
    [{ alertOnFailure: true, failureThreshold: 1, recoveryThreshold: 5 }, ["Each run that failed or had an error"]],
    [{ ...thresholds, alertOnFailure: true }, ["Each run that failed or had an error, from 3 in a row on"]],
    [{ ...thresholds, alertOnTimeout: true }, ["Each run that timed out"]],
    [{ ...thresholds, alertOnRecovery: true }, ["The first run that passes after a notified failure"]],
    [{ ...thresholds, alertOnSuccess: true }, ["Each run that passed, from 2 in a row on"]],
    [{ alertOnSuccess: true, alertOnTimeout: true, alertOnFailure: false }, ["Each run that timed out", "Each run that passed"]],
  ];
  for (const [config, words] of cases) assert.deepEqual(alertWords(config), words, JSON.stringify(config));
});
