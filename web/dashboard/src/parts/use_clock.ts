import { createContext, useContext, useEffect, useState } from "react";
import { visibility } from "../api/services";
import { browserZone } from "../time/format";
import { Ticker } from "./ticker";

/** The zone of all times of a page. The frame finds it once, because a browser needs long to look a zone up. */
export const ZoneContext = createContext<string | undefined>(undefined);

/** Returns the zone of the page, or of the browser on pages before the sign-in. */
export const useZone = (): string => useContext(ZoneContext) ?? browserZone();

// Rows of a table share a timer, so that a tick renders them once.
const tickers = new Map<number, Ticker>();

function tickerOf(every: number): Ticker {
  const ticker = tickers.get(every) ?? new Ticker(every, visibility);
  tickers.set(every, ticker);
  return ticker;
}

let latest = new Date();

/** Returns the present time. All calls within one second return the same object, so that it can be a dependency. */
function present(): Date {
  const time = Date.now();
  if (Math.abs(time - latest.getTime()) >= 1000) latest = new Date(time);
  return latest;
}

/**
 * Returns the time of now. It is at most a second old whenever something draws, because an event that arrives between two ticks
 * would otherwise seem to be in the future. It advances by itself every `every` milliseconds while the tab is visible.
 */
export function useNow(every = 30_000): Date {
  const [ticked, setTicked] = useState(present);
  useEffect(() => tickerOf(every).listen(setTicked), [every]);
  const now = present();
  return now > ticked ? now : ticked;
}
