import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { CommandLine } from "../../parts/copy";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead, Tabs } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { useTitle } from "../../parts/use_title";
import { readMonitor } from "../monitors/monitor_queries";
import { useProject } from "../project_context";
import { StartWindow } from "./start_window";
import { MOST_UNFINISHED, readUnfinished, readWindows } from "./window_queries";
import { type WindowGroups, groupsOf } from "./window_states";
import { WindowTable } from "./window_table";

const ROUTE = "/signed-in/$org/$project/maintenance";
const PAGE = 50;
/** Milliseconds between polls of the unfinished windows. Each poll is two requests, and an idle page makes six a minute. */
const UNFINISHED_EVERY = 20_000;

function NoWindows({ finished, filtered }: { finished: boolean; filtered: boolean }) {
  const { project, path } = useProject();
  if (finished || filtered) {
    return (
      <Blank icon="wrench" title={finished ? "No finished windows" : "No window covers this monitor"}>
        <p>{finished ? "A window is finished when none of its times is still to come." : "Other monitors may have windows."}</p>
        <div className="row"><Link className="btn" to={path("maintenance")}>Show all windows</Link></div>
      </Blank>
    );
  }
  return (
    <Blank icon="wrench" title="No planned work">
      <p>A window is a time of planned work. Checks continue, failures are recorded but not sent.</p>
      {hasRole(project.role, "project_editor") && (
        <>
          <div className="row">
            <Link className="btn btn-primary" to={path("maintenance", "new")}><Icon name="plus" />Create window</Link>
          </div>
          <p className="small faint">Or from a shell:</p>
          <CommandLine command="svc window create nightly --tag db --cron '0 3 * * sun' --zone Europe/Berlin --for 90m" />
        </>
      )}
    </Blank>
  );
}

const SECTIONS: readonly (readonly [keyof WindowGroups, string])[] = [
  ["active", "Active"], ["scheduled", "Scheduled"], ["recurring", "Recurring"],
];

function Unfinished({ monitorId }: { monitorId: string | undefined }) {
  const { api, key, project } = useProject();
  const windows = usePolled({
    key: [key, "maintenance", "unfinished", monitorId], keep: true, every: UNFINISHED_EVERY,
    read: (headers, signal) => readUnfinished(api, monitorId ? { monitorId } : {}, headers, signal),
  });
  const again = () => void windows.refetch();
  const edits = hasRole(project.role, "project_editor");
  if (!windows.data) {
    return windows.error
      ? <PageError thing="This list" what="The windows" error={windows.error} retry={again} />
      : <Skeleton name="windows" />;
  }
  const groups = groupsOf(windows.data);
  const count = windows.data.length;
  return (
    <>
      {windows.error && <LoadError what="Changes" error={windows.error} retry={again} />}
      {count === 0 && <div className="panel"><NoWindows finished={false} filtered={Boolean(monitorId)} /></div>}
      {SECTIONS.map(([kind, word]) => groups[kind].length > 0 && (
        <section className="section" aria-labelledby={`${kind}-head`} key={kind}>
          <h2 id={`${kind}-head`}>{word}</h2>
          <WindowTable caption={`${word} windows`} kind={kind} rows={groups[kind]} />
        </section>
      ))}
      {count > 0 && !monitorId && <p className="small faint">{count} of {MOST_UNFINISHED} unfinished windows</p>}
      {edits && !monitorId && <StartWindow />}
    </>
  );
}

function Finished() {
  const { api, key, project } = useProject();
  const { monitorId, page, cursor } = useSearch({ from: ROUTE });
  const place = { ...(page ? { page } : {}), ...(cursor ? { cursor } : {}) };
  const query = { state: "finished", ...(monitorId ? { monitorId } : {}), ...place } as const;
  const windows = usePolled({
    key: [key, "maintenance", query], keep: true, read: (headers, signal) => readWindows(api, query, headers, signal, PAGE),
  });
  const again = () => void windows.refetch();
  if (!windows.data) {
    return windows.error
      ? <PageError thing="This list" what="The windows" error={windows.error} retry={again} />
      : <Skeleton name="windows" />;
  }
  const { rows } = windows.data;
  return (
    <section className="section" aria-label={`Finished windows of ${project.name}`}>
      {windows.error && <LoadError what="Changes" error={windows.error} retry={again} />}
      {rows.length > 0
        ? (
          <WindowTable
            caption="Finished windows, newest first" kind="finished" rows={rows}
            foot={<ListFoot things="Windows" page={windows.data} />}
          />
        )
        : <div className="panel"><NoWindows finished filtered={Boolean(monitorId)} /></div>}
    </section>
  );
}

/** The filter by a monitor, with its name. */
function MonitorChip({ monitorId, rest }: { monitorId: string; rest: { state?: "finished" } }): ReactNode {
  const { api, key } = useProject();
  const monitor = useQuery({
    queryKey: [key, "monitor", monitorId, "name"], staleTime: Infinity, queryFn: ({ signal }) => readMonitor(api, monitorId, {}, signal),
  });
  const name = monitor.data?.name ?? monitorId.slice(0, 8);
  return (
    <div className="filters" role="search" aria-label="Filter windows">
      <Link className="chip" to="." search={rest} aria-label={`Remove the filter by ${name}`}>of: {name} <Icon name="x" small /></Link>
    </div>
  );
}

const listView = (word: string, options: Record<string, string | number | undefined>, monitorId: string | undefined): ApiView => ({
  word, request: { method: "GET", path: "/api/maintenance-windows", query: { ...options, monitorId } },
  svc: svcLine(["window", "list"], { ...options, monitor: monitorId }),
});

export default function WindowsPage() {
  const { project, path } = useProject();
  const { state, monitorId, page } = useSearch({ from: ROUTE });
  useTitle("Maintenance", project.name);
  const filter: Record<string, string> = monitorId ? { monitorId } : {};
  return (
    <div className="page">
      <PageHead
        title="Maintenance"
        lead="Checks continue during a window. Failures are recorded but not sent, and the time does not count as downtime."
        actions={hasRole(project.role, "project_editor") && (
          <Link className="btn btn-primary" to={path("maintenance", "new")} search={filter}><Icon name="plus" />Create window</Link>
        )}
      />
      <Tabs
        label="Windows by their state"
        tabs={[
          { word: "Current", to: path("maintenance"), search: filter, current: !state },
          { word: "Finished", to: path("maintenance"), search: { ...filter, state: "finished" }, current: state === "finished" },
        ]}
      />
      {monitorId && <MonitorChip monitorId={monitorId} rest={state ? { state } : {}} />}
      {state === "finished" ? <Finished /> : <Unfinished monitorId={monitorId} />}
      <AsApi
        views={state
          ? [listView("List the finished windows", { state, limit: PAGE, page }, monitorId)]
          : [
            listView("List the active windows", { state: "active", limit: MOST_UNFINISHED }, monitorId),
            listView("List the planned windows", { state: "scheduled", limit: MOST_UNFINISHED }, monitorId),
          ]}
      />
    </div>
  );
}
