import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { Icon } from "../../parts/icon";
import { warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Job, newKey, triggerJob } from "../project_queries";

/** Starts a job without parameters; a job with parameters gets its form. */
export function TriggerButton({ job, small }: { job: Job; small?: boolean }) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  // One key until the answer, so a double click makes one run.
  const key = useRef<string>(undefined);
  const trigger = useMutation({
    mutationFn: () => triggerJob(api, job.id, {}, (key.current ??= newKey())),
    onSuccess: ({ data }) => navigate({ to: path("runs", data.runId) }),
    onError: (error) => warn(`${job.name} was not triggered. ${error.message}`),
    onSettled: () => (key.current = undefined),
  });
  const look = small ? "btn btn-s" : "btn btn-primary";
  const content = <><Icon name="play" small={small} />Trigger</>;
  const label = small ? `Trigger ${job.name}` : undefined;
  const reason = !job.enabled ? "The job is disabled." : job.testCount === 0 ? "The job has no tests." : undefined;
  if (reason) {
    return (
      <button className={look} type="button" aria-label={label} aria-disabled="true" title={reason} aria-description={reason}>
        {content}
      </button>
    );
  }
  if (job.parameters && job.parameters.length > 0) {
    return <Link className={look} to={path("jobs", job.id, "trigger")} aria-label={label}>{content}</Link>;
  }
  return (
    <button
      className={look} type="button" aria-label={label} aria-disabled={trigger.isPending}
      onClick={() => !trigger.isPending && trigger.mutate()}
    >
      {content}
    </button>
  );
}
