import { type StateLook, UNKNOWN } from "../../parts/states";
import { cronWords } from "../../time/cron_words";
import { durationText } from "../../time/format";
import { wallClock } from "../../time/zone_day";
import type { MaintenanceWindow } from "./window_queries";

export const WINDOW_STATES = {
  active: { word: "Active", sign: "maintenance", look: "s-maintenance" },
  scheduled: { word: "Scheduled", sign: "queued", look: "s-queued" },
  finished: { word: "Finished", sign: "cancelled", look: "s-cancelled" },
} as const satisfies Record<string, StateLook>;

/** The second state of a monitor that a window applies to; its own state stays. */
export const IN_MAINTENANCE: StateLook = { word: "Maintenance", sign: "maintenance", look: "s-maintenance" };

/** Returns the look of a window's state; a state of a newer service is unknown. */
export const windowState = (state: string): StateLook => (WINDOW_STATES as Record<string, StateLook>)[state] ?? UNKNOWN;

type Rule = Pick<MaintenanceWindow, "cron" | "timeZone" | "durationMinutes">;

export const isRecurring = (window: Pick<MaintenanceWindow, "cron">): boolean => window.cron !== null;

/** Returns `Sundays at 03:00 for 20 min`, or undefined for a schedule without plain words. */
export function ruleWords({ cron, durationMinutes }: Rule): string | undefined {
  const words = cron === null ? undefined : cronWords(cron);
  return words && `${words} for ${durationText((durationMinutes ?? 0) * 60_000)}`;
}

type Times = Rule & Pick<MaintenanceWindow, "startsAt" | "endsAt">;

/** Returns the milliseconds of an occurrence, or undefined if the window has no times. */
export function lengthOf({ cron, durationMinutes, startsAt, endsAt }: Times): number | undefined {
  if (cron !== null) return (durationMinutes ?? 0) * 60_000;
  return startsAt && endsAt ? Date.parse(endsAt) - Date.parse(startsAt) : undefined;
}

type Covers = Pick<MaintenanceWindow, "monitorIds" | "tagIds" | "all" | "monitorCount">;

/** Returns `3 monitors`. */
export const monitorsText = (count: number): string => (count === 1 ? "1 monitor" : `${count} monitors`);

/** Returns `All monitors, now 12`, `3 monitors`, or how many monitors have the tags of the window. */
export const coverWords = ({ all, monitorCount }: Covers): string =>
  all ? `All monitors, now ${monitorCount}` : monitorsText(monitorCount);

/** Returns `Announced on 2 status pages`. */
export const announcedWords = (pages: number): string => `Announced on ${pages === 1 ? "a status page" : `${pages} status pages`}`;

/** The windows of a project by what a reader needs first. */
export interface WindowGroups {
  active: MaintenanceWindow[];
  scheduled: MaintenanceWindow[];
  recurring: MaintenanceWindow[];
}

const time = (value: string | null | undefined): number => (value ? Date.parse(value) : Number.MAX_SAFE_INTEGER);

/** Returns active windows by their end, and the others by their start; those that recur stand by themselves. */
export function groupsOf(windows: readonly MaintenanceWindow[]): WindowGroups {
  const byNext = (a: MaintenanceWindow, b: MaintenanceWindow) => time(a.next?.startsAt) - time(b.next?.startsAt);
  const waiting = windows.filter((one) => one.state === "scheduled").sort(byNext);
  return {
    active: windows.filter((one) => one.state === "active").sort((a, b) => time(a.current?.endsAt) - time(b.current?.endsAt)),
    scheduled: waiting.filter((one) => !isRecurring(one)),
    recurring: waiting.filter(isRecurring),
  };
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/**
 * Returns the end of an occurrence as wall time of the window's zone, such as `04:30` or `Mon 00:30` on another day, or
 * undefined if this browser does not know the zone. Its length is real time, also over a change of the clocks.
 */
export function endWords(startsAt: string, minutes: number, zone: string): string | undefined {
  try {
    const start = Date.parse(startsAt);
    const [first, last] = [start, start + minutes * 60_000].map((moment) => new Date(wallClock(moment, zone)));
    const clock = last!.toISOString().slice(11, 16);
    return first!.getUTCDate() === last!.getUTCDate() ? clock : `${DAYS[last!.getUTCDay()]} ${clock}`;
  } catch {
    return undefined;
  }
}
