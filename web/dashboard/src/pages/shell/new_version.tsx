import { useEffect, useSyncExternalStore } from "react";
import { version } from "../../api/services";
import { Sign } from "../../parts/icon";

/** Says that the service has a newer bundle than this page. The next navigation loads it (router.tsx). */
export function NewVersion({ bundle }: { bundle: string }) {
  useEffect(() => version.saw(bundle), [bundle]);
  const newer = useSyncExternalStore(version.subscribe, version.isNewer);
  if (!newer) return null;
  return (
    <div className="banner banner-bar s-info" role="status">
      <Sign name="info" look="s-info" />
      <p>A new version of the dashboard is available. It loads with the next page that you open; a form keeps its input until then.</p>
      <div className="actions">
        <button className="btn btn-s" type="button" onClick={() => location.reload()}>Load now</button>
      </div>
    </div>
  );
}
