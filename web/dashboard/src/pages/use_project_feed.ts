import { useEffect } from "react";
import { ProjectFeed } from "../api/project_feed";
import { BACKGROUND, liveReads, lostStores, transport, version, visibility } from "../api/services";

/** Follows the changes of a project while the tab is visible. A run has a stream of its own, and a tab has only one. */
export function useProjectFeed(project: string | undefined): void {
  useEffect(() => {
    if (!project) return;
    const headers = { "Svc-Project": project, Accept: "text/event-stream", ...BACKGROUND };
    const feed = new ProjectFeed({
      open: (signal) => transport.open(new Request("/dashboard/v1/events", { signal, headers })),
      onChange: (change) => liveReads.publish(change),
      onLive: (live) => liveReads.setLive(project, live),
      onDegraded: lostStores.suspect,
      onBundle: version.saw,
    });
    if (document.visibilityState === "visible") feed.start();
    const stop = visibility.listen((visible) => (visible ? feed.start() : feed.pause()));
    return () => {
      stop();
      feed.pause();
    };
  }, [project]);
}
