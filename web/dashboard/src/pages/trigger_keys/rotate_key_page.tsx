import { useParams } from "@tanstack/react-router";
import { RotateSteps } from "../credentials/rotate_steps";
import { JobCrumbs, useJob } from "../jobs/job_frame";
import { NeedsEditor } from "../needs_project_role";
import { useKeyKind } from "./key_kind";

function RotateKey() {
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

export default function RotateKeyPage() {
  return <NeedsEditor><RotateKey /></NeedsEditor>;
}
