import { startOfDay } from "../time/zone_day";
import { useZone } from "./use_clock";

interface Days {
  from?: string;
  to?: string;
}

/** Returns the moments for days of the reader's zone: the start of the first one, and the end of the last one. */
export function useDayRange({ from, to }: Days): Days {
  const zone = useZone();
  const start = from && startOfDay(from, zone);
  const end = to && startOfDay(to, zone, 1);
  return { ...(start ? { from: start.toISOString() } : {}), ...(end ? { to: end.toISOString() } : {}) };
}
