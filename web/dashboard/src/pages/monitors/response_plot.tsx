import { useEffect, useRef, useState } from "react";
import { loadOrReload } from "../../parts/reload";
import { useNow, useZone } from "../../parts/use_clock";
import { minuteText } from "../../time/format";
import type { Chart, ChartColors, ChartData } from "./line_chart";
import { type Slot, type Span, type Zone, axisTop, milliseconds, seriesSentence, timeLabels } from "./series";

interface PlotProps {
  slots: readonly Slot[];
  span: Span;
  zones: readonly Zone[];
  outages: number;
  limit?: number;
}

/** Reads the colours of the design from the shapes of the legend, which follow the theme. */
function colorsOf(legend: Element): ChartColors {
  const read = (name: string, property: "stroke" | "fill") =>
    getComputedStyle(legend.querySelector(`.${name}`) ?? legend)[property];
  return {
    line: read("line", "stroke"), band: read("line", "stroke"), grid: read("grid", "stroke"), limit: read("limit", "stroke"),
    zone: read("zone", "fill"), zoneEdge: read("zone-edge", "stroke"),
  };
}

/** Calls the listener when the theme of the page or of the system changes. */
function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", listener);
  };
}

function Legend({ limit, zones }: { limit?: number; zones: readonly Zone[] }) {
  return (
    <ul className="legend">
      <li><svg aria-hidden="true" viewBox="0 0 14 12"><path className="line" d="M0 6H14" /></svg>Median</li>
      <li><svg aria-hidden="true" viewBox="0 0 14 12"><rect className="band" width="14" height="12" /></svg>Up to p95</li>
      {limit !== undefined && (
        <li><svg aria-hidden="true" viewBox="0 0 14 12"><path className="limit" d="M0 6H14" /></svg>Degraded from {milliseconds(limit)}</li>
      )}
      {zones.length > 0 && (
        <li><svg aria-hidden="true" viewBox="0 0 14 12"><rect className="zone" width="14" height="12" /></svg>Down</li>
      )}
    </ul>
  );
}

/** Response times of a period. The script that draws loads when the chart is first shown. */
export function ResponsePlot({ slots, span, zones, outages, limit }: PlotProps) {
  const zone = useZone();
  const now = useNow();
  const plot = useRef<HTMLDivElement>(null);
  const probes = useRef<SVGSVGElement>(null);
  const chart = useRef<Chart>(undefined);
  const [pointed, setPointed] = useState<number>();
  const top = axisTop([...slots.map((slot) => slot.part?.p95), limit !== undefined && limit < 60_000 ? limit : 0]);
  const data: ChartData = {
    starts: slots.map((slot) => slot.start), medians: slots.map((slot) => slot.part?.p50 ?? null),
    tops: slots.map((slot) => slot.part?.p95 ?? null), end: span.from + span.count * span.step, axisTop: top, limit, zones,
  };
  const latest = useRef(data);
  latest.current = data;
  const mark = JSON.stringify(data);
  useEffect(() => {
    let ended = false;
    let stop: (() => void) | undefined;
    void loadOrReload(() => import("./line_chart")).then(({ drawChart }) => {
      const shapes = probes.current;
      if (ended || !plot.current || !shapes) return;
      // The canvas may be drawn once more after the page has left.
      const colors = () => colorsOf(shapes);
      const drawn = drawChart(plot.current, latest.current, colors, setPointed);
      chart.current = drawn;
      stop = watchTheme(drawn.redraw);
    });
    return () => {
      ended = true;
      stop?.();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => chart.current?.update(latest.current), [mark]);
  const slot = pointed === undefined ? undefined : slots[pointed];
  const start = slot && minuteText(new Date(slot.start), zone, now);
  const numbers = slot?.part
    ? `p50 ${milliseconds(slot.part.p50)}, p95 ${milliseconds(slot.part.p95)}, ${slot.part.up} of ${slot.part.checks} checks up`
    : "no checks";
  return (
    <>
      <div className="chart">
        <svg className="chart-probes" ref={probes} aria-hidden="true">
          <path className="line" /><path className="grid" /><path className="limit" />
          <path className="zone" /><path className="zone-edge" />
        </svg>
        <div className="chart-y" aria-hidden="true">
          <span>{milliseconds(top)}</span><span>{(top * 2) / 3}</span><span>{top / 3}</span><span>0</span>
        </div>
        <div className="chart-plot" role="img" aria-label={seriesSentence(slots, span, outages)}>
          <div className="chart-canvas" ref={plot} />
        </div>
        <div className="chart-x" aria-hidden="true">
          {timeLabels(span, zone, now).map((label, at) => <span key={at}>{label}</span>)}
        </div>
      </div>
      <div className="row between g-2">
        <Legend limit={limit} zones={zones} />
        <span className="small muted tabular" aria-hidden="true">{slot ? `${start}: ${numbers}` : "\u00a0"}</span>
      </div>
    </>
  );
}
