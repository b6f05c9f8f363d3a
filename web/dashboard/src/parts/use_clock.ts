import { createContext, useContext, useEffect, useState } from "react";
import { visibility } from "../api/services";
import { browserZone } from "../time/format";

/** The zone of all times of a page. The frame finds it once, because a browser needs long to look a zone up. */
export const ZoneContext = createContext<string | undefined>(undefined);

/** Returns the zone of the page, or of the browser on pages before the sign-in. */
export const useZone = (): string => useContext(ZoneContext) ?? browserZone();

/** Returns the time of now, which advances every `every` milliseconds while the tab is visible. */
export function useNow(every = 30_000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => visibility.visible && setNow(new Date()), every);
    const stop = visibility.listen((visible) => visible && setNow(new Date()));
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [every]);
  return now;
}
