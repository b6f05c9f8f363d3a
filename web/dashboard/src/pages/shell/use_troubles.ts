import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { liveReads, visibility } from "../../api/services";
import { SettledReads } from "../../api/settled_reads";
import { overviewKey, overviewQuery } from "../overview/overview_query";
import { type Troubles, troublesOf } from "./troubles";

/** Milliseconds between reads while the project changes all the time. */
const SETTLE = 10_000;
/** Milliseconds for which a count counts as fresh where no feed names changes. */
const FRESH = 60_000;

/** The counts of the navigation, as the tab last read them. */
export function useTroubles(project: string): Troubles | undefined {
  const { data } = useQuery({ ...overviewQuery(project), enabled: false });
  return data && troublesOf(data);
}

interface Place {
  /** Without a feed the counts are read when another page is opened. */
  hasFeed: boolean;
  path: string;
}

/**
 * Reads the counts of the navigation when the feed becomes live or names a change. They cause no request by themselves, so that
 * they take no share of the polls of a page. The overview reads the same answer for itself.
 */
export function useTroubleReads(project: string | undefined, { hasFeed, path }: Place): void {
  const client = useQueryClient();
  const own = path.endsWith("/overview");
  useEffect(() => {
    if (!project || own) return;
    const read = (staleTime: number) => {
      if (visibility.visible) void client.prefetchQuery({ ...overviewQuery(project), staleTime });
    };
    const reads = new SettledReads(() => read(0), SETTLE);
    // What the overview has shown last may predate a change, and without a live feed nothing else reads.
    const later = setTimeout(() => read(SETTLE), SETTLE);
    const mute = liveReads.listen(overviewKey(project), reads.changed);
    return () => {
      clearTimeout(later);
      mute();
      reads.stop();
    };
  }, [client, project, own]);
  useEffect(() => {
    if (!project || own || liveReads.covers(overviewKey(project))) return;
    const known = client.getQueryData(overviewKey(project)) !== undefined;
    // The first page of a tab has other requests to wait for; its feed becomes live in a moment.
    if (known || !hasFeed) void client.prefetchQuery({ ...overviewQuery(project), staleTime: FRESH });
  }, [client, project, own, hasFeed, path]);
}
