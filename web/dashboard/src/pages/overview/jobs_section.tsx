import { Link } from "@tanstack/react-router";
import { State } from "../../parts/icon";
import { failingJobs, jobState } from "../../parts/states";
import { Duration, Moment, NOTHING, ZoneName } from "../../parts/time";
import { numberText } from "../../time/format";
import { useProject } from "../project_context";
import { MOST_JOBS } from "../shell/troubles";
import type { OverviewJob } from "./overview_query";
import { MARKS, marksOf, marksSentence, streakWords, successText } from "./overview_words";

/** Jobs that are shown in addition to failing ones fill the table up to this number. */
const USUAL_ROWS = 20;

/** The last ten ended runs as marks; their numbers are in the sentence. */
function Marks({ lastStatuses }: Pick<OverviewJob, "lastStatuses">) {
  return (
    <svg className="marks" viewBox={`0 0 ${MARKS.width} ${MARKS.height}`} role="img" aria-label={marksSentence(lastStatuses)}>
      {marksOf(lastStatuses).map((mark) => (
        <rect className={mark.look} x={mark.x} y={mark.y} width={MARKS.mark} height={mark.height} rx="1.5" key={`${mark.x} ${mark.y}`} />
      ))}
    </svg>
  );
}

function JobRow({ job }: { job: OverviewJob }) {
  const { path } = useProject();
  const streak = streakWords(job);
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={jobState({ enabled: true, status: job.status })} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <Link className="clip" to={path("jobs", job.id)} dir="auto">{job.name}</Link>
          {streak && <span className="cell-sub">{streak}</span>}
        </div>
      </th>
      <td data-label="Last ten" role="cell"><Marks lastStatuses={job.lastStatuses} /></td>
      <td className="num" data-label="Success" role="cell">
        <div className="cell-name">
          {job.runs > 0 ? <span className="nowrap">{successText(job)}</span> : <span className="faint">{NOTHING}</span>}
          {job.runs > 0 && job.runs < 100 && <span className="cell-sub nowrap">{job.passed} of {job.runs}</span>}
        </div>
      </td>
      <td className="num" data-label="Median" role="cell"><Duration milliseconds={job.medianMs} /></td>
      <td className="num cell-hide" data-label="Next run" role="cell"><Moment value={job.nextRunAt} form="minutes" /></td>
    </tr>
  );
}

/** The jobs with their last ten results, success rate and median; those whose last run failed come first. */
export function JobsSection({ jobs }: { jobs: readonly OverviewJob[] }) {
  const { path } = useProject();
  const failing = failingJobs(jobs).length;
  const rows = jobs.slice(0, Math.max(failing, USUAL_ROWS));
  const more = jobs.length === MOST_JOBS ? " or more" : "";
  return (
    <section className="section" aria-labelledby="jobs-head">
      <div className="section-head">
        <h2 id="jobs-head">Jobs, failing first</h2>
        <Link className="more" to={path("jobs")}>All jobs</Link>
      </div>
      <div className="panel">
        <div className="table-box">
          <table className="table table-cards" role="table">
            <caption className="vh">Jobs, failing first</caption>
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">State</th>
                <th scope="col" role="columnheader">Job</th>
                <th scope="col" role="columnheader">Last ten</th>
                <th scope="col" role="columnheader" className="num">Success, last 100 runs</th>
                <th scope="col" role="columnheader" className="num">Median</th>
                <th scope="col" role="columnheader" className="num cell-hide">Next run, <ZoneName /></th>
              </tr>
            </thead>
            <tbody role="rowgroup">{rows.map((job) => <JobRow job={job} key={job.id} />)}</tbody>
          </table>
        </div>
        <div className="panel-foot">
          <span>{numberText(rows.length)} of {numberText(jobs.length)}{more} jobs</span>
          <span className="push faint">Success and median cover the last 100 ended runs of each job.</span>
        </div>
      </div>
    </section>
  );
}
