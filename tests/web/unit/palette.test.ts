import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MOST_OF_KIND, createEntries, organizationEntries, pageEntries, projectEntries, thingEntries,
} from "../../../web/dashboard/src/pages/shell/palette_entries";
import { textAfter } from "../../../web/dashboard/src/pages/shell/typed_text";

const BASE = "/acme/shop";

test("things of a project are found with their state, and no kind hides the others", () => {
  const many = Array.from({ length: 20 }, (_, at) => ({ id: `j${at}`, name: `checkout ${at}`, enabled: true, status: "failed" }));
  const found = thingEntries(BASE, "Checkout", {
    jobs: many,
    tests: [{ id: "t1", title: "checkout works", type: "browser" }],
    monitors: [{ id: "m1", name: "Checkout API", status: "down" }],
    providers: [
      { id: "p1", name: "checkout on call", enabled: true, health: "failing" }, { id: "p2", name: "mail", enabled: true, health: "ok" },
    ] as never,
    windows: [{ id: "w1", name: "Upgrade of checkout", state: "active" }, { id: "w2", name: "backup", state: "scheduled" }],
    pages: [
      { id: "s1", name: "Checkout status", componentStatus: "major_outage" }, { id: "s2", name: "Other", componentStatus: "unknown" },
    ],
  });
  const groups = found.map((one) => one.group);
  assert.equal(groups.filter((group) => group === "Jobs").length, MOST_OF_KIND);
  assert.deepEqual([...new Set(groups)], ["Jobs", "Tests", "Monitors", "Maintenance", "Status pages", "Providers"]);
  assert.deepEqual(found.slice(MOST_OF_KIND).map((one) => [one.word, one.note, one.to]), [
    ["checkout works", "Browser", "/acme/shop/tests/t1"], ["Checkout API", "Down", "/acme/shop/monitors/m1"],
    ["Upgrade of checkout", "Active", "/acme/shop/maintenance/w1"],
    ["Checkout status", "Major outage", "/acme/shop/status-pages/s1"], ["checkout on call", "Failing", "/acme/shop/providers/p1"],
  ]);
  assert.equal(found[0]!.note, "Failing");
  assert.deepEqual(thingEntries(BASE, "x", {}), []);
});

test("pages are found by a part of their name, whatever its case", () => {
  const places = [
    { word: "Overview", icon: "overview", to: "/$org/$project/overview" }, { word: "Runs", icon: "runs", to: "/$org/$project/runs" },
    { word: "Runners", icon: "server", to: "/$org/$project/runners" },
  ] as const;
  const organizations = [{ id: "o1", name: "Acme", slug: "acme" }];
  const words = (text: string) => pageEntries(BASE, text, places, organizations).map((one) => one.word);
  assert.deepEqual(words(""), ["Overview", "Runs", "Runners", "Your account", "API reference", "Organisation Acme"]);
  assert.deepEqual(words("RUN"), ["Runs", "Runners"]);
  assert.deepEqual(words("acme"), ["Organisation Acme"]);
  assert.deepEqual(words("nothing"), []);
  assert.equal(pageEntries(BASE, "over", places, [])[0]!.to, "/acme/shop/overview");
  assert.equal(pageEntries(BASE, "acme", places, organizations)[0]!.to, "/acme/_/members");
});

test("the current project is listed only where projects are switched", () => {
  const projects = ["shop", "site"].map((slug) => ({ id: slug, slug, name: slug, organization: { slug: "acme", name: "Acme" } })) as never;
  assert.deepEqual(projectEntries(projects, "shop", false).map((one) => [one.word, one.to]), [["Acme / site", "/acme/site/jobs"]]);
  assert.deepEqual(projectEntries(projects, "shop", true).map((one) => one.note), ["This project", undefined]);
});

test("the switcher leads to the organisations, and administrators of one to a new project", () => {
  const organizations = [
    { id: "1", name: "Acme", slug: "acme", role: "org_admin" }, { id: "2", name: "Bolt", slug: "bolt", role: "org_member" },
  ];
  assert.deepEqual(organizationEntries("", organizations).map((one) => [one.word, one.to]), [
    ["Acme", "/acme/_/members"], ["Create project in Acme", "/acme/_/projects/new"], ["Bolt", "/bolt/_/members"],
  ]);
  assert.deepEqual(organizationEntries("BOLT", organizations).map((one) => one.word), ["Bolt"]);
});

test("what can be created in a project is found by its name", () => {
  assert.deepEqual(createEntries(BASE, "job").map((one) => [one.word, one.to]), [["Create job", `${BASE}/jobs/new`]]);
});

test("a palette that is still loading keeps what is typed, and only that", () => {
  const keys = ["ArrowDown", "S", "h", "o", "é", "Backspace", "p", " ", "😀", "Shift", "Backspace", "1"];
  assert.equal(keys.reduce((text, key) => textAfter(text, key) ?? text, ""), "Shop 1");
  assert.equal(textAfter("", "Backspace"), "");
  for (const key of ["Enter", "Tab", "Escape", "F5", "Process", ""]) assert.equal(textAfter("a", key), undefined, key);
});
