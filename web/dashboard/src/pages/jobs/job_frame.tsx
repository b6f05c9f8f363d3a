import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { copyId } from "../../parts/copy";
import { PageError, Skeleton } from "../../parts/feedback";
import { Badge } from "../../parts/icon";
import { ActionMenu } from "../../parts/menu";
import { Crumbs, PageHead, Tabs } from "../../parts/page";
import { hasRole, jobState } from "../../parts/states";
import { pageAddress } from "../page_address";
import { useProject } from "../project_context";
import { type Job, readJob } from "../project_queries";
import { TriggerButton } from "./trigger_button";

export function useJob(jobId: string): UseQueryResult<Job> {
  const { api, key } = useProject();
  return useQuery({ queryKey: [key, "job", jobId], queryFn: ({ signal }) => readJob(api, jobId, {}, signal) });
}

export function JobCrumbs({ job, jobId, last }: { job: Job | undefined; jobId: string; last?: string }) {
  const { path } = useProject();
  const name = job?.name ?? "Job";
  const own = last ? [{ word: name, to: path("jobs", jobId) }, { word: last }] : [{ word: name }];
  return <Crumbs crumbs={[{ word: "Jobs", to: path("jobs") }, ...own]} />;
}

interface JobFrameProps {
  job: UseQueryResult<Job>;
  jobId: string;
  tab: "runs" | "keys";
  keyCount?: number;
  /** More about the state, next to the heading. */
  more?: string;
  /** The act of this part, which takes the place of Trigger. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Heading and parts of one job. */
export function JobFrame({ job, jobId, tab, keyCount, more, actions, children }: JobFrameProps) {
  const { path, project } = useProject();
  if (!job.data) {
    return (
      <div className="page">
        <JobCrumbs job={undefined} jobId={jobId} />
        {job.error
          ? (
            <PageError
              page thing="This job" what="The job" error={job.error} retry={() => void job.refetch()}
              back={<Link className="btn" to={path("jobs")}>Show all jobs</Link>}
            />
          )
          : <Skeleton name="the job" />}
      </div>
    );
  }
  const { name, description } = job.data;
  const edits = hasRole(project.role, "project_editor");
  const keys = { word: "Trigger keys", to: path("jobs", jobId, "keys"), count: keyCount, current: tab === "keys" };
  return (
    <div className="page">
      <JobCrumbs job={job.data} jobId={jobId} />
      <PageHead
        title={name} badge={<Badge state={jobState(job.data)} more={more} />} lead={description ?? undefined}
        actions={
          <>
            {actions ?? (edits && <TriggerButton job={job.data} />)}
            {edits && <Link className="btn" to={path("jobs", jobId, "edit")}>Edit</Link>}
            <ActionMenu
              label={`More for ${name}`}
              entries={[
                { id: "runs", icon: "runs", word: "All its runs", href: `${pageAddress(path("runs"))}?jobId=${jobId}` },
                { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(jobId) },
              ]}
            />
          </>
        }
      />
      <Tabs
        label="Parts of the job"
        tabs={[
          { word: "Runs", to: path("jobs", jobId), current: tab === "runs" },
          ...(edits ? [keys] : []),
        ]}
      />
      {children}
    </div>
  );
}
