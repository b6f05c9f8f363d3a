import type { MonitorResult } from "./monitor_queries";

const PHASES = [
  ["dnsMs", "DNS"], ["connectMs", "Connect"], ["tlsMs", "TLS"], ["firstByteMs", "First byte"], ["transferMs", "Transfer"],
] as const;
const GAP = 4;
export const WIDTH = 1000;

export interface Phase {
  word: string;
  milliseconds: number;
  x: number;
  width: number;
}

/** Returns the phases of a check in order, with their places in a bar of 1000. */
export function phasesOf(timings: MonitorResult["details"]["timings"]): Phase[] {
  const known = PHASES.flatMap(([name, word]) => (timings?.[name] === undefined ? [] : [{ word, milliseconds: timings[name]! }]));
  const total = known.reduce((sum, one) => sum + one.milliseconds, 0);
  const room = WIDTH - GAP * (known.length - 1);
  const least = 6;
  // Each phase is visible; the longest one gives the room for that.
  const widths = known.map((one) => Math.max(least, total ? Math.floor((one.milliseconds / total) * room) : 0));
  const most = widths.indexOf(Math.max(...widths));
  if (known.length) widths[most] = Math.max(least, widths[most]! + room - widths.reduce((sum, width) => sum + width, 0));
  let x = 0;
  return known.map((one, at) => {
    const phase = { ...one, x, width: widths[at]! };
    x += widths[at]! + GAP;
    return phase;
  });
}
