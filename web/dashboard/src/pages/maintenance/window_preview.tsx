import { SchedulePreview } from "../jobs/edit/schedule_preview";
import { endWords } from "./window_states";

interface PreviewProps {
  cron: string;
  zone: string;
  /** The length of an occurrence; not a number while somebody types it. */
  minutes: number;
  from?: string | null;
  until?: string | null;
}

/** The next starts of a recurring window with their ends, as the service computes them, within its bounds. */
export function WindowPreview({ cron, zone, minutes, from, until }: PreviewProps) {
  const [first, last] = [from ? Date.parse(from) : -Infinity, until ? Date.parse(until) : Infinity];
  return (
    <SchedulePreview
      cron={cron} zone={zone} caption="Next starts" thing="window"
      isShown={({ at }) => Date.parse(at) >= first && Date.parse(at) < last}
      more={({ at }) => {
        const end = minutes > 0 ? endWords(at, minutes, zone) : undefined;
        return end && `until ${end}`;
      }}
    />
  );
}
