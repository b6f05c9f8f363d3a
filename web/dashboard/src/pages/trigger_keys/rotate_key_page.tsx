import { useParams } from "@tanstack/react-router";
import { RotateSteps } from "../credentials/rotate_steps";
import { JobCrumbs, useJob } from "../jobs/job_frame";
import { useKeyKind } from "./key_kind";

export default function RotateKeyPage() {
  const { jobId, keyId } = useParams({ from: "/signed-in/$org/$project/jobs/$jobId/keys/$keyId/rotate" });
  const job = useJob(jobId);
  const kind = useKeyKind(jobId);
  return (
    <div className="page page-narrow">
      <JobCrumbs job={job.data} jobId={jobId} last="Rotate trigger key" />
      <RotateSteps id={keyId} kind={kind} role={`starts only ${job.data?.name ?? "this job"}`} />
    </div>
  );
}
