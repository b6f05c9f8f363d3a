import { durationText, minuteText, numberText } from "../../time/format";
import type { Outage, SeriesPart, StatsPeriod } from "./monitor_queries";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const PERIODS: readonly (readonly [StatsPeriod, string])[] = [
  ["24h", "24 h"], ["7d", "7 d"], ["30d", "30 d"], ["90d", "90 d"], ["365d", "365 d"],
];

export interface Span {
  resolution: "hour" | "day";
  /** Start of the first part and number of parts. */
  from: number;
  count: number;
  /** Milliseconds of a part. */
  step: number;
}

const COUNTS: Record<StatsPeriod, number> = { "24h": 24, "7d": 168, "30d": 30, "90d": 90, "365d": 365 };

/** Returns the hours or days of a period until now; they start in UTC, as the service counts them. */
export function spanOf(period: StatsPeriod, now: number): Span {
  const step = period === "24h" || period === "7d" ? HOUR : DAY;
  const count = COUNTS[period];
  return { resolution: step === HOUR ? "hour" : "day", from: Math.floor(now / step) * step - (count - 1) * step, count, step };
}

/** One hour or day; without checks it has no part. */
export interface Slot {
  start: number;
  part?: SeriesPart;
}

/** Returns all hours or days of the span in order. The service leaves out empty ones, and a chart shows them as gaps. */
export function fillSlots(span: Span, parts: readonly SeriesPart[]): Slot[] {
  const known = new Map(parts.map((part) => [Date.parse(part.start), part]));
  return Array.from({ length: span.count }, (_, at) => {
    const start = span.from + at * span.step;
    return { start, part: known.get(start) };
  });
}

/** Returns the largest value of the axis, which three grid lines divide into round numbers. */
export function axisTop(values: readonly (number | null | undefined)[]): number {
  const most = Math.max(3, ...values.map((value) => value ?? 0));
  const size = 10 ** Math.floor(Math.log10(most / 3));
  const step = [1, 2, 3, 5, 10].find((one) => one * size * 3 >= most)! * size;
  return step * 3;
}

export const milliseconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : `${numberText(value)}\u00a0ms`;

/** Returns a sentence about the content of the chart of response times. */
export function seriesSentence(slots: readonly Slot[], span: Span, outages: number): string {
  const medians = slots.flatMap((slot) => slot.part?.p50 ?? []);
  const unit = span.resolution;
  const text = medians.length
    ? `Response time by ${unit}: median ${milliseconds(Math.min(...medians))} to ${milliseconds(Math.max(...medians))}, ` +
      `p95 at most ${milliseconds(Math.max(...slots.map((slot) => slot.part?.p95 ?? 0)))}.`
    : `Response time by ${unit}: no successful check in the period.`;
  const gaps = slots.filter((slot) => !slot.part).length;
  const missing = gaps ? ` ${gaps} of ${slots.length} ${unit}s have no checks.` : "";
  const down = outages ? ` ${outages === 1 ? "1 outage" : `${outages} outages`} in the period.` : "";
  return `${text}${down}${missing} The table below has the numbers.`;
}

export type CellState = "up" | "part" | "down" | "maintenance" | "unknown";

export interface Zone {
  from: number;
  to: number;
}

/** Returns the state of time that nothing covers: it was in maintenance if it overlaps the planned time, and is never up. */
const uncovered = (from: number, step: number, planned: Zone | undefined): CellState =>
  planned && from < planned.to && from + step > planned.from ? "maintenance" : "unknown";

/** Returns the state of each hour or day by its uptime. */
export const cellsOf = (slots: readonly Slot[], step = HOUR, planned?: Zone): CellState[] =>
  slots.map(({ start, part }) => {
    if (!part || part.uptimePercent === null) return uncovered(start, step, planned);
    if (part.uptimePercent >= 100) return "up";
    return part.uptimePercent > 0 ? "part" : "down";
  });

export interface BarCell {
  start: string;
  observedSeconds: number;
  downMs: number;
}

/** Returns the state of each hour of a bar. An hour whose whole observed time was downtime is down. */
export const cellsOfBar = (cells: readonly BarCell[], planned?: Zone): CellState[] =>
  cells.map(({ start, observedSeconds, downMs }) => {
    if (observedSeconds === 0) return uncovered(Date.parse(start), HOUR, planned);
    if (downMs === 0) return "up";
    return downMs >= observedSeconds * 1000 ? "down" : "part";
  });

/** Returns the outages as parts of the span, cut at its ends. */
export function zonesOf(outages: readonly Pick<Outage, "startedAt" | "endedAt">[], span: Span, now: number): Zone[] {
  const end = span.from + span.count * span.step;
  return outages
    .map((one) => ({
      from: Math.max(span.from, Date.parse(one.startedAt)), to: Math.min(end, one.endedAt ? Date.parse(one.endedAt) : now),
    }))
    .filter((zone) => zone.to > zone.from);
}

/** Returns the labels of the time axis: five moments from the first part to the last. */
export function timeLabels(span: Span, zone: string, now: Date): string[] {
  return Array.from({ length: 5 }, (_, at) => {
    if (at === 4) return span.resolution === "hour" ? "now" : "today";
    const time = new Date(span.from + Math.floor((at / 4) * span.count) * span.step);
    const text = minuteText(time, zone, now);
    return span.resolution === "day" ? text.replace(/, .*/, "") : text;
  });
}

/** Returns `15 min down, 1 outage` or what else there is to say of a period. */
export function downtimeText(stats: { downtimeSeconds: number; outages: number; observedSeconds: number }): string {
  if (!stats.observedSeconds) return "nothing observed yet";
  if (!stats.outages) return "no outage";
  const count = stats.outages === 1 ? "1 outage" : `${numberText(stats.outages)} outages`;
  return `${durationText(stats.downtimeSeconds * 1000)} down, ${count}`;
}

/** Returns a percentage, cut and never rounded up to 100. */
export function percentText(value: number | null): string {
  if (value === null) return "–";
  return value >= 100 ? "100" : (Math.floor(value * 100) / 100).toFixed(2);
}
