import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { usePolled } from "../../api/use_polled";
import { LoadError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { Moment, ZoneName } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { numberText } from "../../time/format";
import { useProject } from "../project_context";
import { usePlanned } from "./day_bars";
import { type Monitor, type StatsPeriod, readOutages, readSeries } from "./monitor_queries";
import { ResponsePlot } from "./response_plot";
import { PERIODS, type Slot, type Span, cellsOf, fillSlots, milliseconds, percentText, spanOf, zonesOf } from "./series";
import { StateBars, barsSentence } from "./state_bars";

const SERIES_EVERY = 60_000;
const MOST_ZONES = 100;

export function PeriodLinks({ period }: { period: StatsPeriod }) {
  return (
    <nav className="seg" aria-label="Period">
      {PERIODS.map(([key, word]) => (
        <Link
          key={key} to="." search={(old: Record<string, unknown>) => ({ ...old, period: key === "24h" ? undefined : key })} replace
          resetScroll={false} activeOptions={{ exact: true, includeSearch: true }} aria-current={key === period ? "page" : undefined}
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}

function SeriesTable({ slots, span, times }: { slots: readonly Slot[]; span: Span; times: boolean }) {
  const name = `${times ? "Response time" : "Uptime"} by ${span.resolution}`;
  return (
    <details className="details">
      <summary><Icon name="right" />Show as a table</summary>
      <div className="table-box" tabIndex={0} role="region" aria-label={name}>
        <table className="table">
          <caption className="vh">{name}</caption>
          <thead>
            <tr>
              <th scope="col">From, <ZoneName /></th>
              <th scope="col" className="num">{times ? "Checks" : "Results"}</th>
              <th scope="col" className="num">Up</th>
              <th scope="col" className="num">Uptime</th>
              {times && <th scope="col" className="num">p50</th>}
              {times && <th scope="col" className="num">p95</th>}
            </tr>
          </thead>
          <tbody>
            {[...slots].reverse().map(({ start, part }) => part && (
              <tr key={start}>
                <th scope="row"><Moment value={part.start} form="minutes" /></th>
                <td className="num">{numberText(part.checks)}</td>
                <td className="num">{numberText(part.up)}</td>
                <td className="num nowrap">{percentText(part.uptimePercent)} %</td>
                {times && <td className="num nowrap">{milliseconds(part.p50)}</td>}
                {times && <td className="num nowrap">{milliseconds(part.p95)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The hours or days of a period: response times as a chart, uptime as bars, and both as a table. */
export function ResponsePanel({ monitor, period }: { monitor: Monitor; period: StatsPeriod }) {
  const { api, key } = useProject();
  const now = useNow(60_000);
  const hour = Math.floor(now.getTime() / 3_600_000);
  const span = useMemo(() => spanOf(period, hour * 3_600_000), [period, hour]);
  const from = new Date(span.from).toISOString();
  const series = usePolled({
    key: [key, "monitor", monitor.id, "series", span.resolution, from], every: SERIES_EVERY, keep: true,
    read: (headers, signal) => readSeries(api, monitor.id, { resolution: span.resolution, from }, headers, signal),
  });
  const times = monitor.type !== "heartbeat";
  const outages = useQuery({
    queryKey: [key, "monitor", monitor.id, "zones", from, monitor.openOutageId], enabled: times,
    queryFn: ({ signal }) => readOutages(api, monitor.id, { from }, {}, signal, MOST_ZONES),
  });
  const planned = usePlanned([monitor]);
  const slots = fillSlots(span, series.data?.data ?? []);
  const zones = zonesOf(outages.data?.rows ?? [], span, now.getTime());
  const limit = (monitor.config as { degradedAfterMs?: number | null }).degradedAfterMs ?? undefined;
  const what = `Last ${span.count} ${span.resolution}s by ${span.resolution}`;
  const cells = cellsOf(slots, span.step, planned(monitor));
  return (
    <section className="panel" aria-labelledby="series-head">
      <div className="panel-head">
        <h2 id="series-head">{times ? "Response time" : "Uptime"}, by {span.resolution}</h2>
        <PeriodLinks period={period} />
      </div>
      <div className="panel-body stack g-4">
        {series.error && <LoadError what="The numbers" error={series.error} retry={() => void series.refetch()} />}
        {!series.data && !series.error && <Skeleton name="the numbers" rows={3} />}
        {series.data && (
          <>
            {times && (
              <ResponsePlot
                key={period} slots={slots} span={span} zones={zones} outages={outages.data?.pagination.total ?? zones.length} limit={limit}
              />
            )}
            <div className="stack g-2">
              {times && <h3 className="small">Uptime, by {span.resolution}</h3>}
              <StateBars what={what} cells={cells} />
              <div className="bars-ends" aria-hidden="true">
                <Moment value={from} form={span.resolution === "hour" ? "minutes" : "date"} />
                <span>{span.resolution === "hour" ? "now" : "today"}</span>
              </div>
              {!times && <p className="small muted">{barsSentence(what, cells)}.</p>}
            </div>
            <SeriesTable slots={slots} span={span} times={times} />
          </>
        )}
      </div>
    </section>
  );
}
