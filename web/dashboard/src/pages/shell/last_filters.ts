import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";

type Filters = Record<string, unknown>;

// The filters of the lists that this tab has shown, by path. A reload forgets them.
const shown = new Map<string, Filters>();

/**
 * Returns a function from the path of a list to its last filters, without the place in the list. The list that is shown now has
 * none, so that its own link shows all rows again.
 */
export function useLastFilters(): (path: string) => Filters {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const { page: _, cursor: __, ...filters } = search as Filters;
    shown.set(pathname, filters);
  }, [pathname, search]);
  return (path) => (path === pathname ? {} : shown.get(path) ?? {});
}
