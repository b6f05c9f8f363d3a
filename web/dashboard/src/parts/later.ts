import { useEffect, useRef, useState } from "react";
import { loadFiles } from "./reload";
import { warn } from "./toasts";

/** Everything that the first page does not show: the other pages, and what opens over a page. */
export type Later = typeof import("../pages/later_pages");

let loaded: Later | undefined;
let loading: Promise<Later> | undefined;

async function load(): Promise<Later> {
  await loadFiles("svc-later");
  return (loaded = await import("../pages/later_pages"));
}

/** Loads what the first page does not show. All callers share one attempt; a caller after a failure starts another one. */
export function loadLater(): Promise<Later> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Loads it before somebody needs it. A failure shows when a part of it is opened. */
export const prepareLater = (): void => void loadLater().catch(() => {});

/**
 * Returns the parts that load later, or undefined until they are loaded. The component that calls it shows one of them, and
 * `onFailure` closes what would show nothing. The page is not reloaded, because a form may hold unsaved input.
 */
export function useLater(onFailure: () => void): Later | undefined {
  const [later, setLater] = useState(loaded);
  const failed = useRef(onFailure);
  useEffect(() => {
    failed.current = onFailure;
  });
  useEffect(() => {
    if (later) return;
    let shown = true;
    loadLater().then(
      (module) => shown && setLater(module),
      () => {
        if (!shown) return;
        warn("A part of the page could not be loaded. Reload the page.");
        failed.current();
      },
    );
    return () => {
      shown = false;
    };
  }, [later]);
  return later;
}
