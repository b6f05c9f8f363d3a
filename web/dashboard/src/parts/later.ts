import { useEffect, useState } from "react";
import { loadFiles, loadOrReload } from "./reload";
import { warn } from "./toasts";

/** Everything that the first page does not show: the other pages, and what opens over a page. */
export type Later = typeof import("../pages/later_pages");

let loaded: Later | undefined;

/** Loads what the first page does not show; callers that come later get it at once. */
export async function loadLater(): Promise<Later> {
  if (loaded) return loaded;
  await loadFiles("svc-later");
  return (loaded = await import("../pages/later_pages"));
}

/** Loads it before somebody needs it. A failure shows when a part of it is opened. */
export const prepareLater = (): void => void loadLater().catch(() => {});

/** Returns the parts that load later, or undefined until they are loaded. The component that calls it shows one of them. */
export function useLater(): Later | undefined {
  const [later, setLater] = useState(loaded);
  useEffect(() => {
    if (later) return;
    let shown = true;
    loadOrReload(loadLater).then(
      (module) => shown && setLater(module),
      () => warn("A part of the page could not be loaded. Reload the page."),
    );
    return () => {
      shown = false;
    };
  }, [later]);
  return later;
}
