import { dateText, durationText, minuteText, timeText, titleText, zoneName } from "../time/format";
import { useNow, useZone } from "./use_clock";

export const NOTHING = "–";

interface MomentProps {
  value: string | null | undefined;
  form?: "seconds" | "minutes" | "date";
  missing?: string;
}

/** A moment in the reader's zone, with UTC and the distance from now in its title. */
export function Moment({ value, form = "seconds", missing = NOTHING }: MomentProps) {
  const zone = useZone();
  const now = useNow();
  if (!value) return <span className="faint">{missing}</span>;
  const time = new Date(value);
  const text = form === "date" ? dateText(time, zone) : (form === "minutes" ? minuteText : timeText)(time, zone, now);
  return (
    <time className="nowrap" dateTime={value} title={titleText(time, now)}>
      {text}
    </time>
  );
}

/** The short name of the reader's zone, for heads of columns. */
export function ZoneName() {
  return <>{zoneName(useZone(), new Date())}</>;
}

export function Duration({ milliseconds }: { milliseconds: number | null | undefined }) {
  if (milliseconds === null || milliseconds === undefined) return <span className="faint">{NOTHING}</span>;
  return <span className="nowrap">{durationText(milliseconds)}</span>;
}

/** The time since a moment, which counts while the page is open. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1000);
  return <Duration milliseconds={Math.max(1000, Math.floor((now.getTime() - Date.parse(since)) / 1000) * 1000)} />;
}
