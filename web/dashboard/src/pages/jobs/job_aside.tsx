import { Link } from "@tanstack/react-router";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useNow } from "../../parts/use_clock";
import { durationText, relativeText } from "../../time/format";
import { useProject } from "../project_context";
import type { Job } from "../project_queries";
import { AlertsPanel, TestsPanel } from "./job_panels";
import { ScheduleWords } from "./schedule_words";

/** Facts that rarely change. */
export function JobAside({ job }: { job: Job }) {
  const now = useNow();
  const { path, project } = useProject();
  const parameters = job.parameters ?? [];
  const edits = hasRole(project.role, "project_editor");
  return (
    <aside className="stack g-6" aria-label="About the job">
      <section className="panel" aria-labelledby="schedule-head">
        <div className="panel-head">
          <h2 id="schedule-head">Schedule</h2>
          {edits && <Link className="more" to={path("jobs", job.id, "edit")}>Change</Link>}
        </div>
        <div className="panel-body stack g-3">
          <p><ScheduleWords job={job} /></p>
          {job.cronSchedule && <p className="small muted"><code>{job.cronSchedule}</code> in {job.timeZone}</p>}
          {job.nextRunAt && (
            <p className="small">
              Next: <Moment value={job.nextRunAt} form="minutes" />{" "}
              <span className="faint">{relativeText(new Date(job.nextRunAt), now)}</span>
            </p>
          )}
          {!job.enabled && <p className="small muted">The job is disabled, so that nothing starts it.</p>}
        </div>
      </section>
      <TestsPanel job={job} />
      <section className="panel" aria-labelledby="settings-head">
        <div className="panel-head"><h2 id="settings-head">Settings</h2></div>
        <div className="panel-body">
          <dl className="facts-rows">
            <div><dt>Type</dt><dd>{job.jobType}</dd></div>
            <div><dt>Time limit</dt><dd>{durationText(job.timeoutSeconds * 1000)}</dd></div>
            <div><dt>Concurrent runs</dt><dd>{job.maxConcurrentRuns ? `at most ${job.maxConcurrentRuns}` : "no limit of the job"}</dd></div>
            {parameters.length > 0 && (
              <div>
                <dt>Parameters</dt>
                <dd>
                  <ul>
                    {parameters.map((one) => (
                      <li key={one.name}>
                        <code>{one.name}</code>
                        {one.default != null ? `, default ${one.default || "empty"}` : one.required ? ", required" : ""}
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            )}
            <div><dt>Created</dt><dd><Moment value={job.createdAt} form="date" /></dd></div>
          </dl>
        </div>
      </section>
      <AlertsPanel job={job} edits={edits} />
    </aside>
  );
}
