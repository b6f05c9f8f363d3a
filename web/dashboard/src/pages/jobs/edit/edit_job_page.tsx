import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../../api/errors";
import { take, takeWithHeaders } from "../../../api/services";
import { AsApi } from "../../../parts/as_api";
import { Conflict } from "../../../parts/conflict";
import { PageError, Skeleton } from "../../../parts/feedback";
import { PageHead } from "../../../parts/page";
import { toast, warn } from "../../../parts/toasts";
import { useTitle } from "../../../parts/use_title";
import { useProject } from "../../project_context";
import type { Job } from "../../project_queries";
import { NeedsEditor } from "../../needs_project_role";
import { useProviders } from "../../providers/provider_queries";
import { JobCrumbs } from "../job_frame";
import { DeleteJob } from "./delete_job";
import { differencesOf, withSaved } from "./job_conflict";
import { JobForm } from "./job_form";
import { type JobField, type JobValues, bodyOf, changesOf, errorsOf, valuesOf } from "./job_values";
import { useTestNames } from "./test_order";

/** A job with the ETag of its version. */
interface Version {
  job: Job;
  etag: string;
}

function EditForm({ version, read }: { version: Version; read: () => Promise<Version> }) {
  const { api, key, path } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [base, setBase] = useState(version);
  const [values, setValues] = useState<JobValues>(() => valuesOf(version.job));
  const [saved, setSaved] = useState<Version>();
  const [tried, setTried] = useState(false);
  const names = useTestNames(version.job.tests.map((one) => one.id));
  const providers = useProviders();
  const { id } = version.job;
  const before = bodyOf(valuesOf(base.job));
  const changes = changesOf(before, bodyOf(values));
  const save = useMutation({
    mutationFn: ({ values: next, base: start }: { values: JobValues; base: Version }) =>
      take(api.PATCH("/api/jobs/{id}", {
        params: { path: { id }, header: { "If-Match": start.etag } }, body: changesOf(bodyOf(valuesOf(start.job)), bodyOf(next)),
      })),
    onSuccess: async (job) => {
      client.setQueryData([key, "job", id], job);
      void client.invalidateQueries({ queryKey: [key, "jobs"] });
      toast({ text: `${job.name} was saved.` });
      await navigate({ to: path("jobs", id), ignoreBlocker: true });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await read().then(setSaved, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const changed = Object.keys(changes).length > 0;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? Your changes are not saved."), enableBeforeUnload: () => changed,
  });
  const submit = () => {
    if (save.isPending || !changed) return;
    setTried(true);
    if (errorsOf(values).length === 0) save.mutate({ values, base });
  };
  const rebase = (next: Version, fields: readonly JobField[]) => {
    const merged = withSaved(values, valuesOf(next.job), fields);
    setBase(next);
    setValues(merged);
    setSaved(undefined);
    save.reset();
    return merged;
  };
  const nameOf = (one: string) => providers.data?.rows.find((provider) => provider.id === one)?.name ?? names.nameOf(one);
  const conflict = saved && (
    <Conflict
      thing="job" differences={differencesOf(before, bodyOf(valuesOf(saved.job)), bodyOf(values), nameOf)} savedAt={saved.job.updatedAt}
      busy={save.isPending} load={() => rebase(saved, Object.keys(before) as JobField[])}
      save={(fields) => {
        const merged = rebase(saved, fields);
        const rest = changesOf(bodyOf(valuesOf(saved.job)), bodyOf(merged));
        if (Object.keys(rest).length > 0 && errorsOf(merged).length === 0) save.mutate({ values: merged, base: saved });
      }}
    />
  );
  const refusal = save.error instanceof ApiError && save.error.status === 412 ? null : save.error;
  return (
    <>
      {conflict}
      <JobForm
        values={values} jobType={version.job.jobType} names={names} providers={providers} tried={tried} refusal={refusal}
        failure="The job was not saved" submit={submit} set={(part) => (save.reset(), setValues((old) => ({ ...old, ...part })))}
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save job</button>
          <Link className="btn" to={path("jobs", id)}>Cancel</Link>
        </div>
      </JobForm>
      {changed && (
        <AsApi
          views={[{
            request: { method: "PATCH", path: `/api/jobs/${id}`, headers: { "If-Match": base.etag }, body: changes },
          }]}
        />
      )}
      <DeleteJob job={base.job} />
    </>
  );
}

function EditJob() {
  const { api, key, project, path } = useProject();
  const { jobId } = useParams({ from: "/signed-in/$org/$project/jobs/$jobId/edit" });
  const read = async (): Promise<Version> => {
    const { data, headers } = await takeWithHeaders(api.GET("/api/jobs/{id}", { params: { path: { id: jobId } } }));
    return { job: data, etag: headers.get("ETag") ?? "*" };
  };
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const version = useQuery({ queryKey: [key, "job-edit", jobId], queryFn: read, staleTime: Infinity, gcTime: 0 });
  useTitle("Edit", version.data?.job.name, project.name);
  return (
    <div className="page page-narrow">
      <JobCrumbs job={version.data?.job} jobId={jobId} last="Edit" />
      <PageHead title={`Edit ${version.data?.job.name ?? "job"}`} />
      {version.error && (
        <PageError
          thing="This job" what="The job" error={version.error} retry={() => void version.refetch()}
          back={<Link className="btn" to={path("jobs")}>Show all jobs</Link>}
        />
      )}
      {!version.data && !version.error && <Skeleton name="the job" rows={4} />}
      {version.data && <EditForm key={jobId} version={version.data} read={read} />}
    </div>
  );
}

export default function EditJobPage() {
  return <NeedsEditor><EditJob /></NeedsEditor>;
}
