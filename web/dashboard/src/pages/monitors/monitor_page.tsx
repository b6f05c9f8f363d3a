import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { LoadError } from "../../parts/feedback";
import { hasRole } from "../../parts/states";
import { Duration, Moment } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { numberText } from "../../time/format";
import { useProject } from "../project_context";
import { HeartbeatAddress, HeartbeatFigures } from "./heartbeat_panel";
import { MonitorAside } from "./monitor_aside";
import { MonitorFrame, useMonitor } from "./monitor_frame";
import { type Monitor, type MonitorStats, type StatsPeriod, readOutages, readStats } from "./monitor_queries";
import { monitorState } from "./monitor_states";
import { OutageBanner } from "./outage_banner";
import { OutageTable } from "./outage_table";
import { ResponsePanel } from "./response_panel";
import { ResultTable } from "./result_table";
import { PERIODS, downtimeText, percentText } from "./series";

const STATS_EVERY = 60_000;
const SHOWN_OUTAGES = 3;

function Figures({ stats, period }: { stats?: MonitorStats; period: StatsPeriod }) {
  const word = PERIODS.find(([key]) => key === period)![1];
  const day = stats?.periods["24h"];
  const other = period === "24h" ? stats?.periods["30d"] : stats;
  const time = (value: number | null | undefined) =>
    value == null ? "–" : <>{numberText(value)} <span className="unit">ms</span></>;
  return (
    <dl className="figures">
      {([["24 h", day], [period === "24h" ? "30 d" : word, other]] as const).map(([name, one]) => (
        <div key={name}>
          <dt>Uptime, {name}</dt>
          <dd className="figure">{percentText(one?.uptimePercent ?? null)} <span className="unit">%</span></dd>
          <dd>{one ? downtimeText(one) : "…"}</dd>
        </div>
      ))}
      <div><dt>Response, p50</dt><dd className="figure">{time(stats?.p50ResponseTime)}</dd><dd>in {word}</dd></div>
      <div><dt>Response, p95</dt><dd className="figure">{time(stats?.p95ResponseTime)}</dd><dd>in {word}</dd></div>
      <div>
        <dt>Failed checks</dt>
        <dd className="figure">
          {stats ? numberText(stats.failedChecks) : "–"} <span className="unit">of {numberText(stats?.totalChecks ?? 0)}</span>
        </dd>
        <dd>in {word}</dd>
      </div>
    </dl>
  );
}

function useNewestOutages(monitor: Monitor) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "monitor", monitor.id, "outages", "newest", monitor.openOutageId, monitor.lastStatusChangeAt],
    queryFn: ({ signal }) => readOutages(api, monitor.id, {}, {}, signal, SHOWN_OUTAGES),
  });
}

/** The start of the state, the last outage with its duration, and the checks; nothing if none of them is known. */
function StateLine({ monitor }: { monitor: Monitor }) {
  const outages = useNewestOutages(monitor);
  const [last] = outages.data?.rows ?? [];
  const { word } = monitorState(monitor.status);
  const holds = monitor.status !== "down" && monitor.status !== "pending" && monitor.lastStatusChangeAt;
  const checked = monitor.type !== "heartbeat" && (monitor.lastCheckAt || monitor.nextCheckAt);
  if (monitor.deletedAt || !(holds || last?.endedAt || checked)) return null;
  return (
    <p className="muted">
      {holds && <>{word} since <Moment value={monitor.lastStatusChangeAt} />. </>}
      {last?.endedAt && (
        <>
          The last outage started <Moment value={last.startedAt} /> and lasted{" "}
          {last.durationSeconds ? <Duration milliseconds={last.durationSeconds * 1000} /> : "less than a second"}.{" "}
        </>
      )}
      {monitor.type !== "heartbeat" && monitor.lastCheckAt && <>Last check <Moment value={monitor.lastCheckAt} />. </>}
      {monitor.type !== "heartbeat" && monitor.nextCheckAt && <>Next check <Moment value={monitor.nextCheckAt} />.</>}
    </p>
  );
}

function Outages({ monitor }: { monitor: Monitor }) {
  const { path } = useProject();
  const outages = useNewestOutages(monitor);
  return (
    <section className="section" aria-labelledby="outages-head">
      <div className="section-head">
        <h2 id="outages-head">Outages</h2>
        <Link className="more" to={path("monitors", monitor.id, "outages")}>All outages</Link>
      </div>
      {outages.error && <LoadError what="The outages" error={outages.error} retry={() => void outages.refetch()} />}
      {outages.data?.rows.length === 0 && <div className="panel"><div className="panel-body muted">No outage so far.</div></div>}
      {outages.data && outages.data.rows.length > 0 && (
        <OutageTable caption={`Outages of ${monitor.name}`} rows={outages.data.rows} monitorName={monitor.name} plain />
      )}
    </section>
  );
}

function Results({ monitor }: { monitor: Monitor }) {
  const { path } = useProject();
  const heartbeat = monitor.type === "heartbeat";
  const rows = monitor.recentResults ?? [];
  const what = heartbeat ? "pings" : "checks";
  return (
    <section className="section" aria-labelledby="results-head">
      <div className="section-head">
        <h2 id="results-head">Last {what}</h2>
        <Link className="more" to={path("monitors", monitor.id, "results")}>All results</Link>
      </div>
      {rows.length > 0
        ? <ResultTable caption={`Last ${what}`} rows={rows} heartbeat={heartbeat} />
        : (
          <div className="panel">
            <div className="panel-body muted">
              {heartbeat ? "No ping yet. Put the crontab line where the job runs." : "No check yet. The first one is made within seconds."}
            </div>
          </div>
        )}
    </section>
  );
}

/** What an editor does with a monitor, as the page's buttons do. */
function actViews({ id, type, enabled, deletedAt }: Monitor): ApiView[] {
  const act = (word: string, below: string): ApiView => ({
    word, request: { method: "POST", path: `/api/monitors/${id}/${below}` }, svc: svcLine(["monitor", below, id]),
  });
  if (deletedAt) return [act("Restore it", "restore")];
  return [
    type === "heartbeat" ? act("Give it a new address", "rotate-key") : act("Check it now", "check"),
    enabled ? act("Pause it", "pause") : act("Resume it", "resume"),
    {
      word: "Start maintenance of an hour", request: { method: "POST", path: `/api/monitors/${id}/maintenance`, body: { minutes: 60 } },
      svc: svcLine(["monitor", "maintenance", id, "60m"]),
    },
  ];
}

export default function MonitorPage() {
  const { api, key, project } = useProject();
  const { monitorId } = useParams({ from: "/signed-in/$org/$project/monitors/$monitorId" });
  const { period = "24h" } = useSearch({ from: "/signed-in/$org/$project/monitors/$monitorId" });
  const monitor = useMonitor(monitorId);
  const stats = usePolled({
    key: [key, "monitor", monitorId, "stats", period], every: STATS_EVERY, keep: true,
    read: (headers, signal) => readStats(api, monitorId, period, headers, signal),
  });
  const word = monitor.data && monitorState(monitor.data.status).word;
  useTitle(word, monitor.data?.name, project.name);
  return (
    <MonitorFrame monitor={monitor} id={monitorId} tab="state">
      {(shown) => (
        <>
          <p className="vh" role="status">{word && `${shown.name}: ${word}`}</p>
          {monitor.error && <LoadError what="Changes" error={monitor.error} retry={() => void monitor.refetch()} />}
          <OutageBanner monitor={shown} />
          <StateLine monitor={shown} />
          {shown.type === "heartbeat"
            ? <HeartbeatFigures monitor={shown} stats={stats.data} />
            : <Figures stats={stats.data} period={period} />}
          <div className="split split-aside">
            <div className="stack g-6">
              {shown.type === "heartbeat" && !shown.deletedAt && <HeartbeatAddress monitor={shown} />}
              <ResponsePanel monitor={shown} period={period} />
              <Outages monitor={shown} />
              <Results monitor={shown} />
            </div>
            <MonitorAside monitor={shown} />
          </div>
          <AsApi
            views={[
              {
                word: "Show the monitor", svc: svcLine(["monitor", "get", monitorId]),
                request: { method: "GET", path: `/api/monitors/${monitorId}` },
              },
              {
                word: "Show uptime and response times", svc: svcLine(["monitor", "stats", monitorId], { period }),
                request: { method: "GET", path: `/api/monitors/${monitorId}/stats`, query: { period } },
              },
              ...(hasRole(project.role, "project_editor") ? actViews(shown) : []),
            ]}
          />
        </>
      )}
    </MonitorFrame>
  );
}
