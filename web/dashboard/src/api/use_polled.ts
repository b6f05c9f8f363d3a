import { type QueryKey, type UseQueryResult, keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { BACKGROUND, liveReads, visibility } from "./services";
import { SettledReads } from "./settled_reads";

export const POLL_EVERY = 10_000;
/** The polled queries of the page. They share its six requests a minute. */
let polled = 0;

/** A read of a page, and the key of what it returns. */
export interface PolledRead<T> {
  key: QueryKey;
  /** Reads with these headers; a poll is no activity of the user. */
  read: (headers: Record<string, string>, signal: AbortSignal) => Promise<T>;
}

/** The query that makes this read once, for data that is there before its page. */
export const queryOf = <T>({ key, read }: PolledRead<T>) => ({
  queryKey: key, queryFn: ({ signal }: { signal: AbortSignal }) => read({}, signal),
});

interface PolledOptions<T> extends PolledRead<T> {
  /** Milliseconds between polls, also while the feed is live, or false to stop. */
  every?: number | false;
  keep?: boolean;
  /** Milliseconds after which a change is read again, because the service may repeat an earlier answer for a shorter time. */
  settle?: number;
}

/**
 * A query that is read again when the project's feed names a change, and at once when the tab becomes visible again. Without a
 * live feed it is read every ten seconds while the tab is visible. On a page with several such queries each waits that many times
 * longer.
 */
export function usePolled<T>({ key, read, every: wanted, keep, settle }: PolledOptions<T>): UseQueryResult<T> {
  const every = wanted ?? POLL_EVERY;
  const always = wanted !== undefined;
  const client = useQueryClient();
  const background = useRef(false);
  const text = JSON.stringify(key);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(background.current ? BACKGROUND : {}, signal),
    placeholderData: keep ? keepPreviousData : undefined,
  });
  useEffect(() => {
    if (every === false) return;
    const poll = async () => {
      if (!visibility.visible || document.visibilityState !== "visible") return;
      background.current = true;
      // A request that is under way is not repeated.
      await client.refetchQueries({ queryKey: JSON.parse(text), exact: true }, { cancelRefetch: false });
      background.current = false;
    };
    // A change during a read may have missed it, so it causes another read.
    let reading = false;
    let again = false;
    const changed = async () => {
      again = true;
      if (reading) return;
      reading = true;
      while (again) {
        again = false;
        await poll();
      }
      reading = false;
    };
    const settled = settle === undefined ? undefined : new SettledReads(() => void poll(), settle);
    settled?.readLater();
    const mute = liveReads.listen(JSON.parse(text), settled?.changed ?? (() => void changed()));
    polled++;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(() => {
        wait();
        if (always || !liveReads.covers(JSON.parse(text))) void poll();
      }, every * polled);
    };
    wait();
    const stop = visibility.listen((visible) => visible && void poll());
    return () => {
      polled--;
      clearTimeout(timer);
      stop();
      mute();
      settled?.stop();
    };
  }, [client, text, every, always, settle]);
  return query;
}
