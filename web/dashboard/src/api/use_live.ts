import { useSyncExternalStore } from "react";
import { liveReads } from "./services";

/** True while the feed of the project names its changes; otherwise pages read again every ten seconds. */
export const useLive = (project: string): boolean => useSyncExternalStore(liveReads.watch, () => liveReads.isLive(project));
