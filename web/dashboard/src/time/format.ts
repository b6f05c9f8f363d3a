/** Texts of moments and durations, in one zone. All of them are pure: the caller passes zone and now. */

const SPACE = "\u00a0";
const LOCALE = "en-GB";
const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone, hourCycle: "h23" });
    formats.set(key, found);
  }
  return found;
}

/** Returns the zone if this browser knows it, otherwise UTC. */
export function knownZone(zone: string | undefined): string {
  try {
    if (zone) return new Intl.DateTimeFormat(LOCALE, { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // The browser does not know the zone.
  }
  return "UTC";
}

/** Returns the zone of the browser. */
export function browserZone(): string {
  return knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
}

function parts(time: Date, zone: string): Record<string, string> {
  const found = format(zone, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
  }).formatToParts(time);
  return Object.fromEntries(found.map((part) => [part.type, part.type === "month" ? part.value.slice(0, 3) : part.value]));
}

const MINUTE = 60_000;
let today = { zone: "", minute: 0, value: {} as Record<string, string> };

/** Returns the parts of the present minute, which all times of a list ask for. */
function partsOfNow(now: Date, zone: string): Record<string, string> {
  const minute = Math.floor(now.getTime() / MINUTE);
  if (today.zone !== zone || today.minute !== minute) today = { zone, minute, value: parts(now, zone) };
  return today.value;
}

const dayOf = (value: Record<string, string>) => `${value.day}${SPACE}${value.month}`;

/** Returns `18:21:09` if the moment is on the day of `now`, `11 Nov, 03:12:40` otherwise, with the year if it is another one. */
export function timeText(time: Date, zone: string, now: Date): string {
  const [value, present] = [parts(time, zone), partsOfNow(now, zone)];
  const clock = `${value.hour}:${value.minute}:${value.second}`;
  if (value.year !== present.year) return `${dayOf(value)}${SPACE}${value.year}, ${clock}`;
  return dayOf(value) === dayOf(present) ? clock : `${dayOf(value)}, ${clock}`;
}

/** Returns the same without seconds. */
export function minuteText(time: Date, zone: string, now: Date): string {
  return timeText(time, zone, now).replace(/:\d\d$/, "");
}

/** Returns `15 Feb 2027`. */
export function dateText(time: Date, zone: string): string {
  const value = parts(time, zone);
  return `${dayOf(value)}${SPACE}${value.year}`;
}

/** Returns `2026-11-20 17:21:09 UTC`. */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns the short name of the zone at a moment, such as `CET` or `GMT+5:30`. */
export function zoneName(zone: string, time: Date): string {
  const found = format(zone, { timeZoneName: "short", hour: "2-digit" }).formatToParts(time);
  return found.find((part) => part.type === "timeZoneName")?.value ?? zone;
}

const pad = (value: number) => String(value).padStart(2, "0");

/** Returns `840 ms`, `41 s`, `2 min 43 s`, `1 h 08 min` or `3 d 4 h`. */
export function durationText(milliseconds: number): string {
  const whole = Math.max(0, milliseconds);
  if (whole < 999.5) return `${Math.round(whole)}${SPACE}ms`;
  const seconds = Math.round(whole / 1000);
  if (seconds < 60) return `${seconds}${SPACE}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}${SPACE}min${seconds % 60 ? ` ${pad(seconds % 60)}${SPACE}s` : ""}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}${SPACE}h${minutes % 60 ? ` ${pad(minutes % 60)}${SPACE}min` : ""}`;
  const days = Math.floor(hours / 24);
  return `${days}${SPACE}d${hours % 24 ? ` ${hours % 24}${SPACE}h` : ""}`;
}

const STEPS: [number, string][] = [[86_400, "day"], [3600, "h"], [60, "min"], [1, "s"]];

/** Returns `3 min ago`, `in 6 days` or `now`. */
export function relativeText(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000);
  const size = Math.abs(seconds);
  const step = STEPS.find(([length]) => size >= length);
  if (!step || size < 2) return "now";
  const count = Math.floor(size / step[0]);
  const unit = step[1] === "day" && count !== 1 ? "days" : step[1];
  return seconds < 0 ? `${count}${SPACE}${unit} ago` : `in ${count}${SPACE}${unit}`;
}

/** Returns `4 812` with spaces that do not break. */
export function numberText(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, SPACE);
}

/** Returns the text for the title of a time: UTC and the distance from now. */
export function titleText(time: Date, now: Date): string {
  return `${utcText(time)}, ${relativeText(time, now)}`;
}
