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

/** Returns the time of now, which advances every `every` milliseconds while the tab is visible. */
export function useNow(every = 30_000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => tickerOf(every).listen(setNow), [every]);
  return now;
}
