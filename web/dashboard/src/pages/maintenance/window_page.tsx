import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { usePolled } from "../../api/use_polled";
import { svcLine } from "../../parts/api_lines";
import { type ApiView, AsApi } from "../../parts/as_api";
import { LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Badge, Icon } from "../../parts/icon";
import { Crumbs, PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Duration, Elapsed, Moment, NOTHING } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { useTitle } from "../../parts/use_title";
import { relativeText } from "../../time/format";
import { useMonitorNames } from "../monitors/monitor_names";
import { useProject } from "../project_context";
import { DeleteWindow, EndWindow } from "./window_dialogs";
import { WindowPreview } from "./window_preview";
import { type MaintenanceWindow, readWindow } from "./window_queries";
import { coverWords, isRecurring, lengthOf, ruleWords, windowState } from "./window_states";
import { type WindowAct, WindowMenu, WindowTags } from "./window_table";
import { WindowUpdates } from "./window_updates";

const ROUTE = "/signed-in/$org/$project/maintenance/$windowId";
/** Names that the page shows at first. */
const SHOWN_MONITORS = 10;

export function WindowCrumbs({ window, id, last }: { window?: MaintenanceWindow; id: string; last?: string }) {
  const { path } = useProject();
  const name = window?.name ?? "Window";
  const own = last ? [{ word: name, to: path("maintenance", id) }, { word: last }] : [{ word: name }];
  return <Crumbs crumbs={[{ word: "Maintenance", to: path("maintenance") }, ...own]} />;
}

function In({ value }: { value: string }) {
  return <span className="muted"> {relativeText(new Date(value), useNow())}</span>;
}

/** Where the window stands now, as the first thing to read. */
function Figures({ window }: { window: MaintenanceWindow }) {
  const { current, next } = window;
  const nothing = <span className="faint">{NOTHING}</span>;
  return (
    <dl className="figures">
      <div>
        <dt>Now</dt>
        <dd className="figure">{current ? <Elapsed since={current.startsAt} /> : nothing}</dd>
        <dd>{current ? <>until <Moment value={current.endsAt} form="minutes" /></> : "no time of the window"}</dd>
      </div>
      <div>
        <dt>Next start</dt>
        <dd className="figure">{next ? <Moment value={next.startsAt} form="minutes" /> : nothing}</dd>
        <dd>{next ? <In value={next.startsAt} /> : "none follows"}</dd>
      </div>
      <div>
        <dt>Length</dt>
        <dd className="figure"><Duration milliseconds={lengthOf(window)} /></dd>
        <dd>{isRecurring(window) ? "each time" : "once"}</dd>
      </div>
      <div><dt>Covers</dt><dd className="figure">{window.monitorCount}</dd><dd>{window.all ? "all monitors" : "monitors now"}</dd></div>
    </dl>
  );
}

/** The monitors by name, of which the first are read. */
function MonitorList({ ids }: { ids: readonly string[] }) {
  const { path } = useProject();
  const [all, setAll] = useState(false);
  const shown = all ? ids : ids.slice(0, SHOWN_MONITORS);
  const nameOf = useMonitorNames(shown);
  const rest = ids.length - shown.length;
  return (
    <ul className="list">
      {shown.map((id) => <li key={id}><Link className="wrap-any" to={path("monitors", id)} dir="auto">{nameOf(id)}</Link></li>)}
      {rest > 0 && <li><button className="btn btn-s" type="button" onClick={() => setAll(true)}>Show {rest} more</button></li>}
    </ul>
  );
}

function Covers({ window }: { window: MaintenanceWindow }) {
  const { path } = useProject();
  return (
    <section className="panel" aria-labelledby="covers-head">
      <div className="panel-head"><h2 id="covers-head">Monitors</h2><span className="muted small">{coverWords(window)}</span></div>
      {window.monitorIds && <MonitorList ids={window.monitorIds} />}
      {window.tagIds && (
        <div className="panel-body stack g-2">
          <p><WindowTags ids={window.tagIds} /></p>
          <p className="small muted">The window covers all monitors that have one of these tags, also those that get one later.</p>
        </div>
      )}
      {window.all && (
        <div className="panel-body">
          <p className="muted">
            The window covers <Link to={path("monitors")}>all monitors of the project</Link>, also those that are created later.
          </p>
        </div>
      )}
    </section>
  );
}

function Fact({ word, children }: { word: string; children: ReactNode }) {
  return <div><dt>{word}</dt><dd>{children}</dd></div>;
}

function Facts({ window }: { window: MaintenanceWindow }) {
  const words = ruleWords(window);
  return (
    <aside className="stack g-6" aria-label="About the window">
      <section className="panel" aria-labelledby="facts-head">
        <div className="panel-head"><h2 id="facts-head">Rule</h2></div>
        <div className="panel-body stack g-3">
          {window.description && <p className="small wrap-any" dir="auto">{window.description}</p>}
          <dl className="facts-rows">
            {isRecurring(window)
              ? (
                <>
                  <Fact word="Schedule">{words ?? <Duration milliseconds={lengthOf(window)} />}</Fact>
                  <Fact word="Cron"><code>{window.cron}</code> in {window.timeZone ?? "UTC"}</Fact>
                  {window.from && <Fact word="No start before"><Moment value={window.from} form="minutes" /></Fact>}
                  {window.until && <Fact word="No start at or after"><Moment value={window.until} form="minutes" /></Fact>}
                </>
              )
              : (
                <>
                  <Fact word="Starts"><Moment value={window.startsAt} form="minutes" /></Fact>
                  <Fact word="Ends"><Moment value={window.endsAt} form="minutes" /></Fact>
                </>
              )}
            <Fact word="Uptime">{window.excludeFromUptime ? "The time does not count" : "The time counts"}</Fact>
            <Fact word="Created"><Moment value={window.createdAt} form="minutes" /></Fact>
            <Fact word="Changed"><Moment value={window.updatedAt} form="minutes" /></Fact>
          </dl>
        </div>
      </section>
    </aside>
  );
}

function viewsOf({ id, state }: MaintenanceWindow, edits: boolean): ApiView[] {
  const path = `/api/maintenance-windows/${id}`;
  return [
    { word: "Show the window", request: { method: "GET", path }, svc: svcLine(["window", "get", id]) },
    ...(edits && state === "active"
      ? [{ word: "End it now", request: { method: "POST", path: `${path}/end` }, svc: svcLine(["window", "end", id]) } as const] : []),
  ];
}

export default function WindowPage() {
  const { api, key, path, project } = useProject();
  const { windowId } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const [asked, setAsked] = useState<WindowAct>();
  const found = usePolled({
    key: [key, "maintenance", "one", windowId], read: (headers, signal) => readWindow(api, windowId, headers, signal),
  });
  const window = found.data;
  const look = window && windowState(window.state);
  useTitle(look?.word, window?.name, project.name);
  if (!window || !look) {
    return (
      <div className="page">
        <WindowCrumbs id={windowId} />
        {found.error
          ? (
            <PageError
              page thing="This window" what="The window" error={found.error} retry={() => void found.refetch()}
              back={<Link className="btn" to={path("maintenance")}>Show all windows</Link>}
            />
          )
          : <Skeleton name="the window" />}
      </div>
    );
  }
  const edits = hasRole(project.role, "project_editor");
  const close = () => setAsked(undefined);
  return (
    <div className="page">
      <WindowCrumbs window={window} id={windowId} />
      <PageHead
        title={window.name} badge={<Badge state={look} />}
        actions={
          <>
            {edits && window.state === "active" && (
              <button className="btn" type="button" aria-haspopup="dialog" onClick={() => setAsked("end")}>
                <Icon name="stop" />End now
              </button>
            )}
            {edits && window.state !== "finished" && <Link className="btn" to={path("maintenance", windowId, "edit")}>Edit</Link>}
            <WindowMenu window={window} ask={setAsked} without={["end", "edit"]} />
          </>
        }
      />
      <p className="vh" role="status">{`${window.name}: ${look.word}`}</p>
      {found.error && <LoadError what="Changes" error={found.error} retry={() => void found.refetch()} />}
      <Figures window={window} />
      <div className="split split-aside">
        <div className="stack g-6">
          <Covers window={window} />
          <WindowUpdates window={window} />
          {isRecurring(window) && window.state !== "finished" && (
            <section className="panel" aria-labelledby="next-head">
              <div className="panel-head"><h2 id="next-head">Next starts</h2></div>
              <div className="panel-body">
                <WindowPreview
                  cron={window.cron!} zone={window.timeZone ?? "UTC"} minutes={window.durationMinutes ?? 0} from={window.from}
                  until={window.until}
                />
              </div>
            </section>
          )}
        </div>
        <Facts window={window} />
      </div>
      <AsApi views={viewsOf(window, edits)} />
      {asked === "end" && <EndWindow window={window} onClose={close} />}
      {asked === "delete" && (
        <DeleteWindow window={window} onClose={close} onDone={() => void navigate({ to: path("maintenance"), replace: true })} />
      )}
    </div>
  );
}
