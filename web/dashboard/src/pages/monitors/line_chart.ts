import uPlot from "uplot";
import type { Zone } from "./series";

export interface ChartData {
  /** Starts of the parts in milliseconds, medians and 95th percentiles. */
  starts: number[];
  medians: (number | null)[];
  tops: (number | null)[];
  end: number;
  axisTop: number;
  limit?: number;
  zones: readonly Zone[];
}

export interface ChartColors {
  line: string;
  band: string;
  grid: string;
  limit: string;
  zone: string;
  zoneEdge: string;
}

export interface Chart {
  update: (data: ChartData) => void;
  /** Draws again, after a change of the theme. */
  redraw: () => void;
  destroy: () => void;
}

const BAND_OPACITY = 0.08;
const ZONE_OPACITY = 0.12;

/** Returns a colour, as getComputedStyle writes it, with an opacity. */
export function withOpacity(color: string, opacity: number): string {
  const plain = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color);
  if (plain) return `rgba(${plain[1]}, ${plain[2]}, ${plain[3]}, ${opacity})`;
  return color.replace(/\)$/, ` / ${opacity})`);
}

/** Draws the grid, the outages and the limit below the lines. */
function drawGround(plot: uPlot, data: ChartData, colors: ChartColors): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const horizontal = (value: number) => Math.round(plot.valToPos(value, "y", true)) + 0.5;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = ratio;
  ctx.strokeStyle = colors.grid;
  for (let part = 0; part <= 3; part++) {
    const y = part === 3 ? bbox.top + 0.5 : horizontal((part / 3) * data.axisTop);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  for (const zone of data.zones) {
    const from = plot.valToPos(zone.from / 1000, "x", true);
    const width = Math.max(ratio, plot.valToPos(zone.to / 1000, "x", true) - from);
    ctx.globalAlpha = ZONE_OPACITY;
    ctx.fillStyle = colors.zone;
    ctx.fillRect(from, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.zoneEdge;
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    ctx.moveTo(from, bbox.top);
    ctx.lineTo(from, bbox.top + bbox.height);
    ctx.stroke();
  }
  if (data.limit !== undefined && data.limit <= data.axisTop) {
    ctx.strokeStyle = colors.limit;
    ctx.lineWidth = 1.25 * ratio;
    ctx.setLineDash([2 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, horizontal(data.limit));
    ctx.lineTo(bbox.left + bbox.width, horizontal(data.limit));
    ctx.stroke();
  }
  ctx.restore();
}

/** Returns the indices of values without neighbours, which a line cannot show. */
export const lonely = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) => (value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : []));

/** Draws response times into an element; labels of the axes are not part of it. `point` gets the index under the pointer. */
export function drawChart(
  element: HTMLElement, first: ChartData, colors: () => ChartColors, point: (at: number | undefined) => void,
): Chart {
  let data = first;
  const sizes = () => ({ width: Math.max(1, element.clientWidth), height: Math.max(1, element.clientHeight) });
  const columns = (): uPlot.AlignedData => [data.starts.map((start) => start / 1000), data.medians, data.tops];
  const plot = new uPlot(
    {
      ...sizes(),
      padding: [0, 0, 0, 0],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: {
        x: { time: true, range: () => [data.starts[0]! / 1000, data.end / 1000] },
        y: { range: () => [0, data.axisTop] },
      },
      series: [
        {},
        { stroke: () => colors().line, width: 1.5, points: { show: true, size: 4, filter: () => lonely(data.medians) } },
        { stroke: "transparent", width: 0, points: { show: false } },
      ],
      bands: [{ series: [2, 1], fill: () => withOpacity(colors().band, BAND_OPACITY) }],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      hooks: {
        drawClear: [(self) => drawGround(self, data, colors())],
        setCursor: [(self) => point(self.cursor.idx ?? undefined)],
      },
    },
    columns(),
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize(sizes()));
  observer.observe(element);
  return {
    update: (next) => {
      data = next;
      plot.setData(columns());
    },
    redraw: () => plot.redraw(false),
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}
