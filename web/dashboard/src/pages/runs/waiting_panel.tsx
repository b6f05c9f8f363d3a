import { Link } from "@tanstack/react-router";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { CardRows } from "../../parts/card_table";
import { LoadError } from "../../parts/feedback";
import { State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Elapsed, Moment, ZoneName } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { useProject } from "../project_context";
import type { Run } from "../project_queries";
import { runnerState } from "../runners/runner_place";
import { waitingWords } from "./waiting_words";

const QUEUED = { word: "Queued", sign: "queued", look: "s-queued" } as const;

/** Why a queued run has not started, and the runners that could take it. */
export function WaitingPanel({ run }: { run: Run }) {
  const { pages, key, path, project } = useProject();
  const now = useNow();
  const waiting = usePolled({
    key: [key, "waiting", run.id],
    read: (headers, signal) => take(pages.GET("/dashboard/v1/runs/{id}/waiting", { params: { path: { id: run.id } }, headers, signal })),
  });
  // The run has started or ended since; its status arrives by the stream.
  if (waiting.error instanceof ApiError && waiting.error.code === "run_already_over") return null;
  if (waiting.error) return <LoadError what="The reason why the run waits" error={waiting.error} retry={() => void waiting.refetch()} />;
  if (!waiting.data || waiting.data.reasons.length === 0) return null;
  const { runners, reasons } = waiting.data;
  const noRunner = reasons.includes("no_runner_for_type");
  const admin = hasRole(project.role, "project_admin");
  const { title, act } = waitingWords(waiting.data, run.jobType);
  return (
    <section className="panel" aria-labelledby="waiting-head">
      <div className="panel-head">
        <h2 id="waiting-head">Queued for <Elapsed since={run.queuedAt} />: {title}</h2>
        <State state={QUEUED} />
      </div>
      <div className="panel-body row g-4">
        <p className="muted">
          {act}
          {noRunner && !admin && " An administrator of the project can create its token."}
        </p>
        {noRunner && admin && (
          <Link className="btn btn-s" to={path("runners", "new")}>Create runner token</Link>
        )}
        {(reasons.includes("max_concurrent_runs") || reasons.includes("runners_busy")) && (
          <Link
            className="btn btn-s" to={path("runs")}
            search={{ status: "running", jobId: (reasons.includes("max_concurrent_runs") && run.jobId) || undefined }}
          >
            Show running runs
          </Link>
        )}
        {reasons.includes("max_concurrent_runs") && run.jobId && hasRole(project.role, "project_editor") && (
          <Link className="btn btn-s" to={path("jobs", run.jobId, "edit")}>Change the limit</Link>
        )}
      </div>
      {runners.length > 0 && (
        <CardRows
          caption="Runners that can take this run"
          heads={
            <>
              <th scope="col" role="columnheader">State</th>
              <th scope="col" role="columnheader">Runner</th>
              <th scope="col" role="columnheader" className="num">Slots in use</th>
              <th scope="col" role="columnheader" className="num">Last seen, <ZoneName /></th>
            </>
          }
        >
          {runners.map((one) => (
            <tr role="row" key={one.name + one.lastSeenAt}>
              <td className="cell-state" role="cell"><State state={runnerState(one, now)} /></td>
              <th scope="row" role="rowheader"><bdi>{one.name}</bdi></th>
              <td className="num" data-label="Slots in use" role="cell">{one.busy} of {one.slots}</td>
              <td className="num" data-label="Last seen" role="cell"><Moment value={one.lastSeenAt} /></td>
            </tr>
          ))}
        </CardRows>
      )}
    </section>
  );
}
