import { useSyncExternalStore } from "react";
import type { Store } from "../api/lost_stores";
import { lostStores } from "../api/services";
import { Sign } from "./icon";

const OUTAGES: Record<Store, { look: "error" | "degraded"; title: string; still: string; waits: string }> = {
  postgres: {
    look: "error",
    title: "The service does not reach its database (PostgreSQL)",
    still: "What this page has loaded stays, and so does what you typed. Scripts that run go on.",
    waits: "Other pages, changes, new runs and sign-ins wait for it.",
  },
  redis: {
    look: "degraded",
    title: "The service does not reach Redis",
    still: "Everything can be read, changed and started. Pages look for changes every 10 s.",
    waits: "Output of runs may come late or with gaps, and the use of limits is not known.",
  },
};

/** The stores that the service does not reach, as far as this tab knows. */
export const useLostStores = (): readonly Store[] => useSyncExternalStore(lostStores.subscribe, lostStores.current);

/** What still works while the service has lost a store, and what waits. The page continues by itself when the store is back. */
export function LostStoreBanners({ bar }: { bar?: boolean }) {
  const lost = useLostStores();
  return lost.map((store) => {
    const { look, title, still, waits } = OUTAGES[store];
    return (
      <div className={`banner ${bar ? "banner-bar " : ""}${look === "error" ? "s-error" : "s-warning"}`} role="status" key={store}>
        <Sign name={look} look={look === "error" ? "s-error" : "s-warning"} />
        <div className="stack g-1">
          <p className="banner-title">{title}</p>
          <p>{still} {waits} This page continues by itself.</p>
        </div>
      </div>
    );
  });
}
