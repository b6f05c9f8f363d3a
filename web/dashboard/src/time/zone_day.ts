const HOUR = 3_600_000;

/** The wall clock of a zone, as if it were UTC. */
export function wallClock(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    second: "2-digit",
  }).formatToParts(time);
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(value("year"), value("month") - 1, value("day"), value("hour"), value("minute"), value("second"));
}

/**
 * Returns the day that starts at a moment in a zone, or, for the end of a range, the day that ends there (`later` is 1); undefined if
 * no day does. It is the opposite of `startOfDay`.
 */
export function dayStartingAt(moment: string | undefined, zone: string, later = 0): string | undefined {
  const time = Date.parse(moment ?? "");
  if (Number.isNaN(time)) return undefined;
  const day = new Date(wallClock(time, zone) - later * 24 * HOUR).toISOString().slice(0, 10);
  return startOfDay(day, zone, later)?.getTime() === time ? day : undefined;
}

/**
 * Returns the first moment of a day such as `2026-11-20` in a zone, `later` days after it, or undefined if the text is no day.
 * Where the clocks skip midnight, it is the end of the gap.
 */
export function startOfDay(day: string, zone: string, later = 0): Date | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!found) return undefined;
  const midnight = Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3]) + later);
  if (later === 0 && new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  // Offsets differ over a change of the clocks: both candidates are tried, the earlier one first.
  const candidates = [midnight - 14 * HOUR, midnight + 14 * HOUR].map((near) => midnight - (wallClock(near, zone) - near));
  const first = Math.min(...candidates);
  if (wallClock(first, zone) >= midnight) return new Date(first);
  return new Date(Math.max(...candidates));
}
