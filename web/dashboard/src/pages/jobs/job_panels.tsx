import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { LoadError } from "../../parts/feedback";
import { loadLater } from "../../parts/later";
import { useProject } from "../project_context";
import type { Job } from "../project_queries";
import { useProviders } from "../providers/provider_queries";
import { alertWords } from "./alert_conditions";

const FIRST_TESTS = 10;

function useTests(ids: readonly string[], wanted = true) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "test-names", ids.join()], staleTime: 60_000, enabled: wanted && ids.length > 0,
    queryFn: async ({ signal }) => (await loadLater()).readChosenTests(api, ids, signal),
  });
}

interface TitleProps {
  id: string;
  tests: ReturnType<typeof useTests>;
}

/** A link to a test. A test whose title is not known has a part of its id. */
function TestTitle({ id, tests }: TitleProps) {
  const { path } = useProject();
  if (tests.isPending) return <span className="skeleton skeleton-m" />;
  const title = tests.data?.find((one) => one.id === id)?.word;
  return <Link className="quiet-link wrap-any" dir="auto" to={path("tests", id)}>{title ?? `Test ${id.slice(0, 8)}`}</Link>;
}

/** The tests in the order of execution, each a link. A long list is opened on demand. */
export function TestsPanel({ job }: { job: Job }) {
  const [all, setAll] = useState(false);
  const ids = job.tests.map((one) => one.id);
  // The titles of the first tests stay when the others are opened.
  const first = useTests(ids.slice(0, FIRST_TESTS));
  const others = useTests(ids.slice(FIRST_TESTS), all);
  const failed = [first, others].find((one) => one.error);
  return (
    <section className="panel" aria-labelledby="job-tests-head">
      <div className="panel-head"><h2 id="job-tests-head">Tests</h2><span className="faint">{ids.length}</span></div>
      <div className="panel-body stack g-3">
        {failed?.error && (
          <LoadError what="The titles of the tests" error={failed.error} retry={() => void failed.refetch()} />
        )}
        {ids.length === 0 && <p className="small muted">The job has no tests yet, so it cannot be triggered.</p>}
        {ids.length > 0 && (
          <ol className="stack g-2 small">
            {ids.slice(0, all ? ids.length : FIRST_TESTS).map((id, at) => (
              <li className="row row-tight g-2" key={id}>
                <span className="order-number faint">{at + 1}</span>
                <TestTitle id={id} tests={at < FIRST_TESTS ? first : others} />
              </li>
            ))}
          </ol>
        )}
        {ids.length > FIRST_TESTS && (
          <div className="row">
            <button className="btn btn-s" type="button" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? `Show the first ${FIRST_TESTS}` : `Show all ${ids.length} tests`}
            </button>
          </div>
        )}
      </div>
    </section>
  );
}

/** The conditions and the receivers of the job's alerts. */
export function AlertsPanel({ job, edits }: { job: Job; edits: boolean }) {
  const { path } = useProject();
  const config = job.alertConfig;
  const ids = config?.enabled ? config.notificationProviders ?? [] : [];
  const providers = useProviders(ids.length > 0);
  const names = new Map((providers.data?.rows ?? []).map((one) => [one.id, one.name]));
  const conditions = config?.enabled ? alertWords(config) : [];
  return (
    <section className="panel" aria-labelledby="job-alerts-head">
      <div className="panel-head">
        <h2 id="job-alerts-head">Alerts</h2>
        {edits && <Link className="more" to={path("jobs", job.id, "edit")}>Change</Link>}
      </div>
      <div className="panel-body stack g-3 small">
        {!config?.enabled && <p className="muted">Nobody is notified about runs of this job.</p>}
        {config?.enabled && conditions.length === 0 && <p>All conditions are off, so nobody is notified.</p>}
        {conditions.length > 0 && <ul className="stack g-1">{conditions.map((one) => <li key={one}>{one}</li>)}</ul>}
        {conditions.length > 0 && ids.length === 0 && <p className="muted">No provider is chosen, so alerts are only recorded.</p>}
        {ids.map((id) => (
          <p key={id}>
            {providers.isPending
              ? <span className="skeleton skeleton-m" />
              : <Link className="wrap-any" dir="auto" to={path("providers", id)}>{names.get(id) ?? `Provider ${id.slice(0, 8)}`}</Link>}
          </p>
        ))}
      </div>
    </section>
  );
}
