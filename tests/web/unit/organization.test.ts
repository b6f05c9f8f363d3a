import assert from "node:assert/strict";
import { test } from "node:test";
import { movedAddress, organizationPath } from "../../../web/dashboard/src/pages/organization_address";
import {
  type InvitationValues, invitationBody, invitationState, rolesToGive, slugOf,
} from "../../../web/dashboard/src/pages/organization/invitation_values";
import { SILENT_AFTER_MS, runnerState } from "../../../web/dashboard/src/pages/runners/runner_place";
import { runnerSnippets } from "../../../web/dashboard/src/pages/runners/runner_snippets";
import { initialsOf } from "../../../web/dashboard/src/parts/person";
import { isAccepted } from "../../../web/dashboard/src/parts/states";

const values: InvitationValues = { email: " ben@example.com ", role: "org_member", projects: {}, delivery: "mail" };

test("An invitation has the roles of a member in projects, and none of an administrator", () => {
  const projects = { a: "project_editor", b: "" } as const;
  assert.deepEqual(invitationBody({ ...values, projects }).body, {
    email: "ben@example.com", role: "org_member", projects: [{ projectId: "a", role: "project_editor" }], delivery: "mail",
  });
  assert.deepEqual(invitationBody({ ...values, projects, role: "org_admin", delivery: "copy" }).body, {
    email: "ben@example.com", role: "org_admin", delivery: "copy",
  });
});

test("An invitation without an address, or with more than 50 projects, is not sent", () => {
  for (const email of ["", "ben", "ben@", "@example.com", "ben @example.com", "a@b@c"]) {
    const { body, error } = invitationBody({ ...values, email });
    assert.equal(body, undefined, email);
    assert.match(error ?? "", /e-mail address/, email);
  }
  const roles = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), "project_viewer" as const]));
  assert.equal(invitationBody({ ...values, projects: roles(50) }).body?.projects?.length, 50);
  assert.match(invitationBody({ ...values, projects: roles(51) }).error ?? "", /at most 50/);
});

test("The state of an invitation says how its mail fares while it is open", () => {
  const mail = (state: "waiting" | "sent" | "failed", attempts = 0) => ({ state, attempts, reason: null });
  const cases = [
    ["open", null, "Link copied"], ["open", mail("waiting"), "Waiting"], ["open", mail("waiting", 2), "Trying again"],
    ["open", mail("sent", 1), "Sent"], ["open", mail("failed", 5), "Failed"], ["accepted", mail("failed", 5), "Accepted"],
    ["revoked", null, "Withdrawn"], ["expired", mail("sent", 1), "Expired"],
  ] as const;
  for (const [state, delivery, word] of cases) assert.equal(invitationState({ state, delivery }).word, word);
});

test("Only owners give the role of an owner", () => {
  assert.ok(rolesToGive("org_owner").some(([role]) => role === "org_owner"));
  assert.ok(!rolesToGive("org_admin").some(([role]) => role === "org_owner"));
});

test("A short name is made from a name of any script, within the form that the service takes", () => {
  const cases = [
    ["Shop", "shop"], ["  Café Zürich! ", "cafe-zurich"], ["a--b", "a-b"], ["名前", ""], ["x".repeat(80), "x".repeat(63)], ["", ""],
    [`${"x".repeat(62)} y`, "x".repeat(62)],
  ] as const;
  for (const [name, slug] of cases) assert.equal(slugOf(name), slug);
});

test("A runner without contact for a minute is silent", () => {
  const now = new Date("2026-11-20T10:00:00Z");
  const seen = (ago: number) => ({ slots: 1, busy: 0, lastSeenAt: new Date(now.getTime() - ago).toISOString() });
  assert.equal(runnerState(seen(SILENT_AFTER_MS), now).word, "Free");
  assert.equal(runnerState(seen(SILENT_AFTER_MS + 1), now).word, "Silent");
});

test("Only the file of a runner token holds the token, and no command line does", () => {
  const snippets = runnerSnippets("svc.example.org", "svc_runner_secret");
  assert.deepEqual(snippets.filter((one) => one.text.includes("svc_runner_secret")).map((one) => one.name), ["token"]);
  assert.ok(snippets.some((one) => one.text.includes("https://svc.example.org:8444")));
});

test("Initials are those of the first two words of a name", () => {
  for (const [name, letters] of [["Ada Lovelace", "AL"], ["ada", "A"], ["A B C", "AB"], [" ", "?"]] as const) {
    assert.equal(initialsOf(name), letters);
  }
});

test("Addresses of an organisation have a place that no short name of a project can have", () => {
  assert.equal(organizationPath("acme", "members"), "/acme/_/members");
  assert.doesNotMatch(organizationPath("acme").split("/")[2]!, /^[a-z0-9-]+$/);
  const cases: [string, string | undefined][] = [
    ["/acme/settings/members", "/acme/_/members"], ["/acme/settings/invitations/new", "/acme/_/invitations/new"],
    ["/acme/settings", "/acme/_/members"], ["/acme/settings/jobs", "/acme/_/members"], ["/acme/shop/settings", undefined],
    ["/settings/x", undefined], ["/", undefined], ["", undefined], ["/account/settings-x", undefined],
  ];
  for (const [before, after] of cases) assert.equal(movedAddress(before), after, before);
});

test("A token is accepted until it is disabled or expires", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const cases: [boolean, string | undefined, boolean][] = [
    [true, undefined, true], [true, "2026-11-20T12:00:00.001Z", true], [true, "2026-11-20T12:00:00Z", false],
    [true, "2026-11-19T12:00:00Z", false], [false, undefined, false], [false, "2027-01-01T00:00:00Z", false],
  ];
  for (const [enabled, expiresAt, accepted] of cases) {
    assert.equal(isAccepted({ enabled, expiresAt }, now), accepted, `${enabled} ${expiresAt}`);
  }
});
