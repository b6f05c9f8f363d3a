import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { loadLater } from "../../parts/later";
import { useProject } from "../project_context";
import type { Job } from "../project_queries";
import { useProviders } from "../providers/provider_queries";

const FIRST_TESTS = 10;
const CONDITIONS = [
  ["alertOnFailure", "failure"], ["alertOnTimeout", "timeout"], ["alertOnRecovery", "recovery"], ["alertOnSuccess", "passed run"],
] as const;

/** The tests in the order of execution, each a link. A long list is opened on demand. */
export function TestsPanel({ job }: { job: Job }) {
  const { api, key, path } = useProject();
  const [all, setAll] = useState(false);
  const ids = job.tests.map((one) => one.id);
  const shown = all ? ids : ids.slice(0, FIRST_TESTS);
  const tests = useQuery({
    queryKey: [key, "test-names", shown.join()], staleTime: 60_000, enabled: shown.length > 0,
    queryFn: async ({ signal }) => (await loadLater()).readChosenTests(api, shown, signal),
  });
  const known = new Map((tests.data ?? []).map((one) => [one.id, one]));
  return (
    <section className="panel" aria-labelledby="job-tests-head">
      <div className="panel-head"><h2 id="job-tests-head">Tests</h2><span className="faint">{ids.length}</span></div>
      <div className="panel-body stack g-3">
        {ids.length === 0 && <p className="small muted">The job has no tests yet, so it cannot be triggered.</p>}
        {ids.length > 0 && (
          <ol className="stack g-2 small">
            {shown.map((id, at) => (
              <li className="row row-tight g-2" key={id}>
                <span className="order-number faint">{at + 1}</span>
                {tests.isPending
                  ? <span className="skeleton skeleton-m" />
                  : (
                    <Link className="quiet-link wrap-any" dir="auto" to={path("tests", id)}>
                      {known.get(id)?.word ?? `Test ${id.slice(0, 8)}`}
                    </Link>
                  )}
              </li>
            ))}
          </ol>
        )}
        {ids.length > shown.length && (
          <div className="row">
            <button className="btn btn-s" type="button" onClick={() => setAll(true)}>Show all {ids.length} tests</button>
          </div>
        )}
      </div>
    </section>
  );
}

/** Who is notified about runs of the job, and when. */
export function AlertsPanel({ job, edits }: { job: Job; edits: boolean }) {
  const { path } = useProject();
  const config = job.alertConfig;
  const ids = config?.enabled ? config.notificationProviders ?? [] : [];
  const providers = useProviders(ids.length > 0);
  const names = new Map((providers.data?.rows ?? []).map((one) => [one.id, one.name]));
  const when = CONDITIONS.filter(([name]) => config?.[name]).map(([, word]) => word).join(", ");
  const from = (config?.failureThreshold ?? 1) > 1 ? `, from ${config!.failureThreshold} failures in a row` : "";
  return (
    <section className="panel" aria-labelledby="job-alerts-head">
      <div className="panel-head">
        <h2 id="job-alerts-head">Alerts</h2>
        {edits && <Link className="more" to={path("jobs", job.id, "edit")}>Change</Link>}
      </div>
      <div className="panel-body stack g-3 small">
        {!config?.enabled && <p className="muted">Nobody is notified about runs of this job.</p>}
        {config?.enabled && <p>Each {when || "condition is off"}{from}.</p>}
        {config?.enabled && ids.length === 0 && <p className="muted">No provider is chosen, so alerts are only recorded.</p>}
        {ids.map((id) => (
          <p key={id}>
            <Link className="wrap-any" dir="auto" to={path("providers", id)}>{names.get(id) ?? `Provider ${id.slice(0, 8)}`}</Link>
          </p>
        ))}
      </div>
    </section>
  );
}
