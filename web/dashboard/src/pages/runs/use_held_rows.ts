import { useState } from "react";

interface Row {
  id: string;
}

export interface HeldRows<T> {
  rows: T[];
  /** Number of new rows that are not shown yet. */
  fresh: number;
  show: () => void;
}

/**
 * Keeps the rows of a list where they are: rows that are shown get their new state, new rows are counted until the user shows
 * them, and a row that leaves the page stays. `view` names the list; another view starts anew.
 */
export function useHeldRows<T extends Row>(view: string, latest: T[] | undefined): HeldRows<T> {
  const [held, setHeld] = useState<{ view: string; rows: T[] }>({ view: "", rows: [] });
  const starts = latest && (held.view !== view || held.rows.length === 0);
  if (starts && (held.view !== view || latest.length > 0)) setHeld({ view, rows: latest });
  const shown = starts ? latest : held.view === view ? held.rows : [];
  const news = new Map((latest ?? []).map((row) => [row.id, row]));
  const rows = shown.map((row) => news.get(row.id) ?? row);
  const known = new Set(shown.map((row) => row.id));
  const fresh = (latest ?? []).filter((row) => !known.has(row.id)).length;
  return { rows, fresh, show: () => latest && setHeld({ view, rows: latest }) };
}
