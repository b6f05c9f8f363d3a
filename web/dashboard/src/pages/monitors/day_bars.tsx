import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { take } from "../../api/services";
import { useHeard } from "../../api/use_heard";
import { readWindows } from "../maintenance/window_queries";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";
import { type BarCell, type Zone, cellsOfBar } from "./series";
import { StateBars } from "./state_bars";

const BARS_EVERY = 60_000;
const UNKNOWN_DAY = Array.from({ length: 24 }, () => "unknown" as const);

/** Returns the planned time that applies to a monitor now, of windows whose time does not count. */
export function usePlanned(rows: readonly Monitor[]): (monitor: Monitor) => Zone | undefined {
  const { api, key } = useProject();
  const ids = [...new Set(rows.flatMap((one) => one.maintenance?.id ?? []))].sort().join();
  const windows = useHeard({
    key: [key, "maintenance", "active", ids], enabled: ids !== "",
    read: async (headers, signal) => (await readWindows(api, { state: "active" }, headers, signal)).rows,
  });
  const current = new Map((windows.data ?? []).filter((one) => one.excludeFromUptime).map((one) => [one.id, one.current]));
  return ({ maintenance }) => {
    const found = maintenance && current.get(maintenance.id);
    return found ? { from: Date.parse(found.startsAt), to: Date.parse(found.endsAt) } : undefined;
  };
}

/** Returns what shows the last 24 hours of the monitors of a page, from one request. */
export function useDayBars(rows: readonly Monitor[]): (monitor: Monitor) => ReactNode {
  const { pages, key } = useProject();
  const ids = rows.map((one) => one.id).join(",");
  const bars = useQuery({
    queryKey: [key, "monitor-bars", ids], enabled: ids !== "", refetchInterval: BARS_EVERY, refetchIntervalInBackground: false,
    queryFn: ({ signal }) => take(pages.GET("/dashboard/v1/monitors/bars", { params: { query: { ids } }, signal })),
  });
  const planned = usePlanned(rows);
  const cells = new Map<string, readonly BarCell[]>((bars.data?.monitors ?? []).map((one) => [one.id, one.cells]));
  return (monitor) => {
    if (!bars.data) return <span className="faint" aria-hidden="true">…</span>;
    const known = cells.get(monitor.id);
    return <StateBars what="Last 24 hours by hour" cells={known ? cellsOfBar(known, planned(monitor)) : UNKNOWN_DAY} />;
  };
}
