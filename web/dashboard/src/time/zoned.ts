import { wallClock } from "./zone_day";

/** Wall times of a zone, for fields of times. All of them are pure. */

const FIELD = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})$/;

/**
 * Returns the moment of `2026-11-20T18:30` in the zone, or undefined. A wall time that a change of
 * clocks skips counts from before the change; one that repeats is its first time.
 */
export function momentOf(text: string, zone: string): Date | undefined {
  const found = FIELD.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute] = found.slice(1).map(Number) as [number, number, number, number, number];
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  const date = new Date(wall);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59) return undefined;
  // Offsets change at most once in a day, so the moment has the offset of the day before or of the day after.
  const offsets = [wall - 86_400_000, wall + 86_400_000].map((near) => wallClock(near, zone) - near);
  for (const offset of offsets) if (wallClock(wall - offset, zone) === wall) return new Date(wall - offset);
  return new Date(wall - offsets[0]!);
}

/** Returns `2026-11-20T18:30` for a moment in the zone. */
export const fieldOf = (moment: Date, zone: string): string => new Date(wallClock(moment.getTime(), zone)).toISOString().slice(0, 16);
