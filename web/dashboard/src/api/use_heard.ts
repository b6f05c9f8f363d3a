import { type QueryKey, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { BACKGROUND, liveReads, visibility } from "./services";
import { SettledReads } from "./settled_reads";

/** Milliseconds between reads while the project changes all the time. */
const PAUSE = 2_000;

interface HeardOptions<T> {
  key: QueryKey;
  /** Reads with these headers: the user has asked for the page, not for this part of it. */
  read: (headers: Record<string, string>, signal: AbortSignal) => Promise<T>;
  enabled?: boolean;
  staleTime?: number;
}

/**
 * A small part of a page that is read again when the project's feed names a change of it. It never polls, so that it takes no share
 * of the polls of the page.
 */
export function useHeard<T>({ key, read, enabled = true, staleTime = 60_000 }: HeardOptions<T>): UseQueryResult<T> {
  const client = useQueryClient();
  const text = JSON.stringify(key);
  useEffect(() => {
    if (!enabled) return;
    const again = () => {
      if (visibility.visible) void client.refetchQueries({ queryKey: JSON.parse(text), exact: true }, { cancelRefetch: false });
    };
    const reads = new SettledReads(again, PAUSE);
    const mute = liveReads.listen(JSON.parse(text), reads.changed);
    return () => {
      mute();
      reads.stop();
    };
  }, [client, text, enabled]);
  return useQuery({ queryKey: key, enabled, staleTime, queryFn: ({ signal }) => read(BACKGROUND, signal) });
}
