import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useState } from "react";
import { accountQuery } from "../api/account";
import { visibility } from "../api/services";
import { browserZone, knownZone } from "../time/format";

/** True while times are shown in UTC, by the key `u`. */
export const UtcContext = createContext(false);

/** Returns the zone of the account, or of the browser. */
export function useZone(): string {
  const utc = useContext(UtcContext);
  const { data } = useQuery({ ...accountQuery, enabled: false });
  const zone = data?.user.preferences.timeZone;
  if (utc) return "UTC";
  return zone ? knownZone(zone) : browserZone();
}

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
