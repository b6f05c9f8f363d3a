import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { ApiError } from "../../../api/errors";
import { BACKGROUND, take } from "../../../api/services";
import { Sign } from "../../../parts/icon";
import { relativeText } from "../../../time/format";
import { useNow } from "../../../parts/use_clock";
import { useProject } from "../../project_context";
import { type ScheduledTime, localWords, noteWords } from "./preview_words";

interface PreviewProps {
  cron: string;
  zone: string;
  caption?: string;
  /** What the schedule starts, for the words of notes. */
  thing?: "job" | "window";
  /** Shows only these of the next times. */
  isShown?: (time: ScheduledTime) => boolean;
  /** Words that follow a time. */
  more?: (time: ScheduledTime) => string | undefined;
}

/** The next times of a schedule, as the service computes them. */
export function SchedulePreview({ cron, zone, caption = "Next times", thing = "job", isShown = () => true, more }: PreviewProps) {
  const { pages, key } = useProject();
  const now = useNow();
  const query = useDeferredValue(JSON.stringify([cron.trim().replace(/\s+/g, " "), zone.trim()]));
  const [fields, timeZone] = JSON.parse(query) as [string, string];
  const preview = useQuery({
    queryKey: [key, "schedule-preview", fields, timeZone], staleTime: 60_000,
    enabled: fields.split(" ").length === 5 && timeZone !== "",
    queryFn: async ({ signal }) => (await take(pages.GET("/dashboard/v1/schedule-preview", {
      params: { query: { cron: fields, timeZone } }, headers: BACKGROUND, signal,
    }))).times,
  });
  if (preview.error) {
    const { error } = preview;
    const refused = error instanceof ApiError && error.status === 400 ? error : undefined;
    const reason = refused?.details[0]?.message ?? error.message;
    return <p className="small muted" role="status">{refused ? "No times" : "The next times could not be loaded"}: {reason}</p>;
  }
  if (!preview.data) return null;
  if (preview.data.length === 0) return <p className="small muted" role="status">This schedule has no time in the next nine years.</p>;
  const times = preview.data.filter(isShown);
  if (times.length === 0) return <p className="small muted" role="status">None of the next ten times is within the bounds.</p>;
  return (
    <table className="table table-plain small">
      <caption className="label">{caption}</caption>
      <thead className="vh"><tr><th scope="col">{timeZone}</th><th scope="col">In</th><th scope="col">Change of the clocks</th></tr></thead>
      <tbody>
        {times.map((one) => (
          <tr key={one.at}>
            <th scope="row"><time dateTime={one.at}>{localWords(one)}</time> {more?.(one)}</th>
            <td className="faint">{relativeText(new Date(one.at), now)}</td>
            <td>
              {one.note && (
                <span className="state s-warning"><Sign name="degraded" look="s-warning" />{noteWords(one.note, thing)}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
