import type { OwnProject } from "../../api/account";
import type { IconName } from "../../parts/sprite";
import { type JobLike, jobState } from "../../parts/states";
import { windowState } from "../maintenance/window_states";
import { monitorState } from "../monitors/monitor_states";
import { organizationPath } from "../organization_address";
import { providerState } from "../providers/provider_words";
import { componentState } from "../status_pages/page_states";
import { type TestType, typeWord } from "../tests/test_words";

/** One row of the palette: where it leads, and in which group it stands. */
export interface Entry {
  id: string;
  group: string;
  icon: IconName;
  word: string;
  /** The state of the thing or its type, as a word. */
  note?: string;
  to: string;
}

type Named = { id: string; name: string };

/** The things that the service has found by the words. */
export interface FoundThings {
  jobs?: readonly (Named & JobLike)[];
  monitors?: readonly (Named & { status: string })[];
  tests?: readonly { id: string; title: string; type: TestType }[];
  providers?: readonly (Named & Parameters<typeof providerState>[0])[];
  windows?: readonly (Named & { state: string })[];
  pages?: readonly (Named & { componentStatus: string })[];
}

/** The most rows of one kind, so that no kind hides the others. */
export const MOST_OF_KIND = 6;

const includes = (text: string, words: string) => text.toLowerCase().includes(words.toLowerCase());

/** Returns the things of a project as rows, in the order of the navigation. Windows, status pages and providers are filtered here. */
export function thingEntries(base: string, words: string, found: FoundThings): Entry[] {
  const { jobs = [], monitors = [], tests = [], providers = [], windows = [], pages = [] } = found;
  const row = (group: string, icon: IconName, place: string) => (one: Named, note: string): Entry =>
    ({ id: one.id, group, icon, word: one.name, note, to: `${base}/${place}/${one.id}` });
  const [job, monitor] = [row("Jobs", "jobs", "jobs"), row("Monitors", "pulse", "monitors")];
  const [test, provider] = [row("Tests", "tests", "tests"), row("Providers", "send", "providers")];
  const [planned, page] = [row("Maintenance", "wrench", "maintenance"), row("Status pages", "broadcast", "status-pages")];
  const named = <T extends Named>(rows: readonly T[]): T[] => rows.filter((one) => includes(one.name, words)).slice(0, MOST_OF_KIND);
  return [
    ...jobs.slice(0, MOST_OF_KIND).map((one) => job(one, jobState(one).word)),
    ...tests.slice(0, MOST_OF_KIND).map(({ id, title, type }) => test({ id, name: title }, typeWord(type))),
    ...monitors.slice(0, MOST_OF_KIND).map((one) => monitor(one, monitorState(one.status).word)),
    ...named(windows).map((one) => planned(one, windowState(one.state).word)),
    ...named(pages).map((one) => page(one, componentState(one.componentStatus).word)),
    ...named(providers).map((one) => provider(one, providerState(one).word)),
  ];
}

interface PlaceLike {
  word: string;
  icon: IconName;
  to: string;
}

/** Returns the pages whose names hold the words: those of the project, the account and the organisations. */
export function pageEntries(
  base: string, words: string, places: readonly PlaceLike[], organizations: readonly { id: string; name: string; slug: string }[],
): Entry[] {
  const pages: Entry[] = [
    ...places.map(({ word, icon, to }) => {
      const address = to.replace("/$org/$project", base);
      return { id: address, group: "Pages", icon, word, to: address };
    }),
    { id: "account", group: "Pages", icon: "users", word: "Your account", to: "/_account" },
    { id: "reference", group: "Pages", icon: "braces", word: "API reference", to: "/_api" },
    ...organizations.map((one): Entry => (
      { id: one.id, group: "Pages", icon: "building", word: `Organisation ${one.name}`, to: organizationPath(one.slug, "members") }
    )),
  ];
  return pages.filter((page) => includes(page.word, words));
}

/** Returns the organisations as rows of the switcher, and where to create a project for those who may. */
export function organizationEntries(
  words: string, organizations: readonly { id: string; name: string; slug: string; role: string }[],
): Entry[] {
  return organizations.flatMap((one): Entry[] => {
    const group = "Organisations";
    const rows: Entry[] = [{ id: one.id, group, icon: "building", word: one.name, to: organizationPath(one.slug, "members") }];
    if (one.role !== "org_member") {
      const to = organizationPath(one.slug, "projects", "new");
      rows.push({ id: `new ${one.id}`, group, icon: "plus", word: `Create project in ${one.name}`, to });
    }
    return rows.filter((row) => includes(row.word, words));
  });
}

/** Returns the acts that start something new in a project, for its editors. */
export function createEntries(base: string, words: string): Entry[] {
  const things = [
    ["job", "jobs"], ["test", "tests"], ["monitor", "monitors"], ["variable", "variables"], ["provider", "providers"],
    ["maintenance window", "maintenance"], ["status page", "status-pages"], ["token", "tokens"],
  ] as const;
  return things.map(([thing, place]): Entry => ({
    id: `new ${place}`, group: "Create", icon: "plus", word: `Create ${thing}`, to: `${base}/${place}/new`,
  })).filter((one) => includes(one.word, words));
}

/** Returns the projects as rows; the current one only where projects are switched. */
export function projectEntries(projects: readonly OwnProject[], current: string | undefined, projectsOnly: boolean): Entry[] {
  return projects.filter((one) => projectsOnly || one.id !== current).map((one) => ({
    id: one.id, group: "Projects", icon: "building", word: `${one.organization.name} / ${one.name}`,
    note: one.id === current ? "This project" : undefined, to: `/${one.organization.slug}/${one.slug}/jobs`,
  }));
}
