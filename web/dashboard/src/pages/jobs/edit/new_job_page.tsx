import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { AsApi } from "../../../parts/as_api";
import { SelectField } from "../../../parts/field";
import { Crumbs, PageHead } from "../../../parts/page";
import { toast } from "../../../parts/toasts";
import { useTitle } from "../../../parts/use_title";
import { NeedsEditor } from "../../needs_project_role";
import { useProject } from "../../project_context";
import type { Job } from "../../project_queries";
import { useProviders } from "../../providers/provider_queries";
import { JobForm } from "./job_form";
import { type JobValues, NEW_JOB, bodyOf, errorsOf } from "./job_values";
import { useTestNames } from "./test_order";

const TYPES = [
  ["command", "Commands: a shell script"], ["playwright", "Playwright: a browser or an API"], ["k6", "k6: load"],
] as const;

function NewJob() {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [values, setValues] = useState<JobValues>(NEW_JOB);
  const [jobType, setJobType] = useState<Job["jobType"]>("command");
  const [tried, setTried] = useState(false);
  const names = useTestNames([]);
  const providers = useProviders();
  useTitle("Create job", project.name);
  const create = useMutation({
    mutationFn: () => take(api.POST("/api/jobs", { body: { ...bodyOf(values), jobType } })),
    onSuccess: async (job) => {
      void client.invalidateQueries({ queryKey: [key, "jobs"] });
      toast({ text: `${job.name} was created.` });
      await navigate({ to: path("jobs", job.id), ignoreBlocker: true });
    },
  });
  const changed = values !== NEW_JOB;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const submit = () => {
    if (create.isPending) return;
    setTried(true);
    if (errorsOf(values).length === 0) create.mutate();
  };
  const set = (part: Partial<JobValues>) => (create.reset(), setValues((old) => ({ ...old, ...part })));
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Jobs", to: path("jobs") }, { word: "Create job" }]} />
      <PageHead title="Create job" lead="A job runs one or more tests. Pipelines, schedules and people trigger it." />
      <JobForm
        values={values} set={set} jobType={jobType} names={names} providers={providers} tried={tried} refusal={create.error}
        failure="The job was not created" submit={submit}
        type={
          <SelectField
            label="Type" name="jobType" value={jobType} options={TYPES} hint="It never changes."
            onChange={(type) => (setJobType(type as Job["jobType"]), set({ tests: [] }))}
          />
        }
      >
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create job</button>
          <Link className="btn" to={path("jobs")}>Cancel</Link>
        </div>
      </JobForm>
      {changed && <AsApi views={[{ request: { method: "POST", path: "/api/jobs", body: { ...bodyOf(values), jobType } } }]} />}
    </div>
  );
}

export default function NewJobPage() {
  return <NeedsEditor><NewJob /></NeedsEditor>;
}
