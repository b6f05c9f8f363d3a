/** Schedules in words. A schedule without plain words returns undefined, and the page shows the five fields. */

const DAYS = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
const SHORT = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MOST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Each month has this day and those before it. */
const SURE_DAY = 28;

const numberOf = (field: string, names: string[], base: number): number | undefined => {
  if (/^\d{1,2}$/.test(field)) return Number(field);
  const at = names.indexOf(field.toLowerCase());
  return at < 0 ? undefined : at + base;
};

const isBelow = (field: string, bound: number): boolean => /^\d{1,2}$/.test(field) && Number(field) < bound;

const pad = (value: number) => String(value).padStart(2, "0");

const ordinal = (value: number) => {
  const rest = value % 100;
  if (rest >= 11 && rest <= 13) return `${value}th`;
  return `${value}${["th", "st", "nd", "rd"][value % 10] ?? "th"}`;
};

function daysText(field: string): string | undefined {
  if (field === "*") return "Daily";
  const range = /^(\w+)-(\w+)$/.exec(field);
  if (range) {
    const [from, to] = [numberOf(range[1]!, SHORT, 0), numberOf(range[2]!, SHORT, 0)];
    if (from === undefined || to === undefined) return undefined;
    if (from === 1 && to === 5) return "Monday to Friday";
    const name = (day: number) => DAYS[day % 7]!.slice(0, -1);
    return `${name(from)} to ${name(to)}`;
  }
  const days = field.split(",").map((one) => numberOf(one, SHORT, 0));
  if (days.some((day) => day === undefined || day > 7)) return undefined;
  const names = days.map((day) => DAYS[day! % 7]!);
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the words for one day of each month, or of one month. */
function datesText(day: number, month: string, clock: string): string | undefined {
  if (month === "*") {
    const condition = day > SURE_DAY ? ", if it has one," : "";
    return `Each month on the ${ordinal(day)}${condition} at ${clock}`;
  }
  const named = numberOf(month, MONTHS, 1);
  if (named === undefined || named < 1 || named > 12) return undefined;
  // No year has this day, so the schedule never starts anything.
  if (day > MOST_DAYS[named - 1]!) return undefined;
  const name = MONTHS[named - 1]!;
  const years = named === 2 && day > SURE_DAY ? "leap year" : "year";
  return `Each ${years} on ${day} ${name[0]!.toUpperCase()}${name.slice(1)} at ${clock}`;
}

/** Returns `Every 30 minutes`, `Each hour at :05`, `Daily at 03:00`, `Sundays at 04:00`, or undefined. */
export function cronWords(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  const everyDay = day === "*" && month === "*" && weekday === "*";
  const step = /^\*\/(\d{1,2})$/;
  if (everyDay && hour === "*") {
    if (minute === "*" || minute === "*/1") return "Every minute";
    const every = step.exec(minute)?.[1];
    if (every && 60 % Number(every) === 0) return `Every ${Number(every)} minutes`;
    if (isBelow(minute, 60)) return `Each hour at :${pad(Number(minute))}`;
    return undefined;
  }
  if (!isBelow(minute, 60)) return undefined;
  const everyHours = step.exec(hour)?.[1];
  if (everyDay && everyHours && 24 % Number(everyHours) === 0) {
    const suffix = Number(minute) ? ` at :${pad(Number(minute))}` : "";
    return Number(everyHours) === 1 ? `Each hour at :${pad(Number(minute))}` : `Every ${Number(everyHours)} hours${suffix}`;
  }
  const hours = hour.split(",");
  if (hours.some((one) => !isBelow(one, 24))) return undefined;
  const clock = hours.map((one) => `${pad(Number(one))}:${pad(Number(minute))}`).join(" and ");
  if (hours.length > 2) return undefined;
  if (day === "*" && month === "*") {
    const days = daysText(weekday);
    return days && `${days} at ${clock}`;
  }
  if (!isBelow(day, 32) || Number(day) === 0 || weekday !== "*") return undefined;
  return datesText(Number(day), month, clock);
}
