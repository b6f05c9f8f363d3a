import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type OwnProject, projectsQuery, useAccount } from "../../api/account";
import { ApiError } from "../../api/errors";
import { BACKGROUND, publicClient, take } from "../../api/services";
import type { IconName } from "../../parts/sprite";
import { hasRole } from "../../parts/states";
import { isUuid } from "../../parts/url_state";
import { readUnfinished } from "../maintenance/window_queries";
import { readMonitors } from "../monitors/monitor_queries";
import { readJob, readJobs, readRun } from "../project_queries";
import { readProviders } from "../providers/provider_queries";
import { readPages } from "../status_pages/page_queries";
import {
  type Entry, type FoundThings, MOST_OF_KIND, createEntries, organizationEntries, pageEntries, projectEntries, thingEntries,
} from "./palette_entries";
import { groupsFor } from "./sidebar";

/** Milliseconds without a key before the service is asked, because each search is four requests. */
const TYPING = 150;
const MOST_ENTRIES = 50;

/** Returns what an id names in the project; unknown and foreign ids name nothing. */
async function locate(project: OwnProject, base: string, id: string, signal: AbortSignal): Promise<Entry[]> {
  const api = publicClient(project.id);
  const one = { params: { path: { id } }, signal };
  const looks: [string, IconName, string, Promise<string>][] = [
    ["Job", "jobs", "jobs", readJob(api, id, {}, signal).then((job) => job.name)],
    ["Run", "runs", "runs", readRun(api, id, {}, signal).then((run) => run.jobName ?? "Single test")],
    ["Test", "tests", "tests", take(api.GET("/api/tests/{id}", one)).then((test) => test.title)],
    ["Monitor", "pulse", "monitors", take(api.GET("/api/monitors/{id}", one)).then((monitor) => monitor.name)],
    ["Window", "wrench", "maintenance", take(api.GET("/api/maintenance-windows/{id}", one)).then((window) => window.name)],
    ["Status page", "broadcast", "status-pages", take(api.GET("/api/status-pages/{id}", one)).then((page) => page.name)],
    ["Provider", "send", "providers", take(api.GET("/api/notification-providers/{id}", one)).then((provider) => provider.name)],
  ];
  const names = await Promise.allSettled(looks.map(([, , , name]) => name));
  for (const one of names) {
    if (one.status === "rejected" && !(one.reason instanceof ApiError && one.reason.status === 404)) throw one.reason;
  }
  return looks.flatMap(([note, icon, place], at) => {
    const name = names[at]!;
    return name.status === "fulfilled" ? [{ id: note, group: "This id", icon, word: name.value, note, to: `${base}/${place}/${id}` }] : [];
  });
}

async function findThings(project: OwnProject, words: string, signal: AbortSignal): Promise<FoundThings> {
  const api = publicClient(project.id);
  const query = { search: words, sort: "name" } as const;
  const [jobs, monitors, tests] = await Promise.all([
    readJobs(api, query, BACKGROUND, signal, MOST_OF_KIND),
    readMonitors(api, query, BACKGROUND, signal, MOST_OF_KIND),
    take(api.GET("/api/tests", { params: { query: { search: words, limit: MOST_OF_KIND } }, headers: BACKGROUND, signal })),
  ]);
  return { jobs: jobs.rows, monitors: monitors.rows, tests: tests.data };
}

/** Returns the text once nothing was typed for a moment. */
function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}

export interface Results {
  entries: Entry[];
  /** The service has not answered yet. */
  searching: boolean;
  /** Some of the things could not be read. */
  failed: boolean;
}

/** Finds pages and projects at once, and things of the project by their names or an id when the typing pauses. */
export function usePalette(project: OwnProject | undefined, projectsOnly: boolean, words: string): Results {
  const { organizations } = useAccount();
  const base = project ? `/${project.organization.slug}/${project.slug}` : "";
  const typed = useTyped(words);
  const inProject = project !== undefined && !projectsOnly && words !== "";
  const current = typed === words;
  const projects = useQuery(projectsQuery(typed || undefined));
  const things = useQuery({
    queryKey: [project?.id, "palette", typed], enabled: inProject && current && !isUuid(typed),
    queryFn: ({ signal }) => findThings(project!, typed, signal),
  });
  const providers = useQuery({
    queryKey: [project?.id, "providers", "choice"], enabled: inProject && !isUuid(words), staleTime: 60_000,
    queryFn: ({ signal }) => readProviders(publicClient(project!.id), {}, BACKGROUND, signal),
  });
  const windows = useQuery({
    queryKey: [project?.id, "maintenance", "choice"], enabled: inProject && !isUuid(words), staleTime: 60_000,
    queryFn: ({ signal }) => readUnfinished(publicClient(project!.id), {}, BACKGROUND, signal),
  });
  const pages = useQuery({
    queryKey: [project?.id, "status-pages", "palette"], enabled: inProject && !isUuid(words), staleTime: 60_000,
    queryFn: ({ signal }) => readPages(publicClient(project!.id), {}, BACKGROUND, signal),
  });
  const located = useQuery({
    queryKey: [project?.id, "locate", typed], enabled: inProject && current && isUuid(typed),
    queryFn: ({ signal }) => locate(project!, base, typed.toLowerCase(), signal),
  });
  const places = project ? groupsFor(project.role).flatMap((group) => group.places) : [];
  const listed = { providers: providers.data?.rows, windows: windows.data, pages: pages.data?.rows };
  const found = inProject && !isUuid(words) ? { ...(current ? things.data : {}), ...listed } : {};
  const entries = [
    ...(inProject && current ? located.data ?? [] : []),
    ...(projectsOnly ? [] : pageEntries(base, words, places, organizations)),
    ...thingEntries(base, words, found),
    ...projectEntries(current ? projects.data ?? [] : [], project?.id, projectsOnly),
    ...(projectsOnly ? organizationEntries(words, organizations) : []),
    // Acts appear only after something is typed, because the list opens for navigation.
    ...(inProject && hasRole(project.role, "project_editor") ? createEntries(base, words) : []),
  ];
  const reads = [projects, things, providers, windows, pages, located];
  const searching = !current || reads.some((one) => one.isFetching);
  const failed = reads.some((one) => one.isError);
  return { entries: entries.slice(0, MOST_ENTRIES), searching, failed };
}
