import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { ActError, PageError, Skeleton } from "../../parts/feedback";
import { FormErrors, TextField, detailsByField, sentence } from "../../parts/field";
import { PageHead } from "../../parts/page";
import { Moment } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { type Job, type Run, newKey, readRun, triggerJob } from "../project_queries";
import { JobCrumbs, useJob } from "./job_frame";

interface FormProps {
  job: Job;
  /** Values of an earlier run. */
  initial: Record<string, string>;
}

function TriggerForm({ job, initial }: FormProps) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const parameters = job.parameters ?? [];
  const [values, setValues] = useState<Record<string, string>>(initial);
  const [missing, setMissing] = useState<string[]>([]);
  // The key names this form's act: it changes with the input, so a double click makes one run.
  const key = useRef<string>(undefined);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const trigger = useMutation({
    mutationFn: () => {
      return triggerJob(api, job.id, given, (key.current ??= newKey()));
    },
    onSuccess: ({ data }) => navigate({ to: path("runs", data.runId), ignoreBlocker: true }),
  });
  const changed = parameters.some((one) => (values[one.name] ?? "") !== (initial[one.name] ?? ""));
  useBlocker({
    shouldBlockFn: () => changed && !trigger.isSuccess && !window.confirm("Leave the form? The values that you typed are lost."),
    enableBeforeUnload: () => changed && !trigger.isSuccess,
  });
  const set = (name: string, value: string) => {
    key.current = undefined;
    setValues((old) => ({ ...old, [name]: value }));
    setMissing((old) => old.filter((one) => one !== name));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (trigger.isPending) return;
    const empty = parameters.filter((one) => one.required && one.default == null && !values[one.name]).map((one) => one.name);
    setMissing(empty);
    if (empty.length === 0) trigger.mutate();
  };
  const details = detailsByField(trigger.error);
  const errorOf = (name: string) => {
    const detail = details.get(`/parameters/${name}`);
    if (missing.includes(name)) return "Enter a value. The job requires this parameter.";
    return detail && sentence(detail);
  };
  const wrong = parameters
    .filter((one) => errorOf(one.name))
    .map((one) => ({ id: `p-${one.name}`, text: `${one.name}: ${errorOf(one.name)}` }));
  return (
    <form className="form" noValidate onSubmit={submit}>
      {wrong.length > 0 && <FormErrors title="The job was not triggered" errors={wrong} />}
      {trigger.error && wrong.length === 0 && (
        <ActError title="The job was not triggered" error={trigger.error} details={[...details].map((one) => one.join(": "))} />
      )}
      {parameters.map((one) => (
        <TextField
          key={one.name} id={`p-${one.name}`} label={one.name} name={one.name} mono optional={!one.required || one.default != null}
          value={values[one.name] ?? ""} onChange={(value) => set(one.name, value)} autoComplete="off" spellCheck={false}
          maxLength={10_000} placeholder={one.default ?? undefined} error={errorOf(one.name)}
          hint={one.default != null ? <>Default: <code>{one.default || "empty"}</code></> : undefined}
        />
      ))}
      {parameters.length === 0 && <p className="muted">This job takes no parameters.</p>}
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={trigger.isPending}>Trigger job</button>
        <Link className="btn" to={path("jobs", job.id)}>Cancel</Link>
      </div>
      <AsApi
        views={[{
          request: {
            method: "POST", path: `/api/jobs/${job.id}/trigger`, body: Object.keys(given).length ? { parameters: given } : undefined,
          },
          svc: svcLine(["job", "trigger", job.id, ...Object.entries(given).flatMap(([name, value]) => ["--param", `${name}=${value}`])]),
        }]}
      />
    </form>
  );
}

/** Says which run the values come from, and which of them the job takes no more. */
function EarlierRun({ run, dropped }: { run: Run | undefined; dropped: readonly string[] }) {
  const { path } = useProject();
  if (!run) return <p className="small muted">The earlier run could not be read, so the form starts without its values.</p>;
  return (
    <p className="small muted wrap-any">
      The values are those of <Link to={path("runs", run.id)}>the run of <Moment value={run.createdAt} form="minutes" /></Link>.
      {dropped.length > 0 && ` The job has no parameter ${dropped.join(", ")} any more.`}
    </p>
  );
}

function Trigger() {
  const { api, key, project } = useProject();
  const { jobId } = useParams({ from: "/signed-in/$org/$project/jobs/$jobId/trigger" });
  const { run } = useSearch({ from: "/signed-in/$org/$project/jobs/$jobId/trigger" });
  const job = useJob(jobId);
  const earlier = useQuery({
    queryKey: [key, "run", run], queryFn: ({ signal }) => readRun(api, run!, {}, signal), enabled: run !== undefined,
  });
  useTitle("Trigger", job.data?.name, project.name);
  const ready = job.data && (run === undefined || earlier.data || earlier.error);
  const known = new Set((job.data?.parameters ?? []).map((one) => one.name));
  const values = Object.entries(earlier.data?.parameters ?? {});
  const initial = Object.fromEntries(values.filter(([name]) => known.has(name)));
  const dropped = values.map(([name]) => name).filter((name) => !known.has(name));
  return (
    <div className="page page-narrow">
      <JobCrumbs job={job.data} jobId={jobId} last="Trigger" />
      <PageHead
        title={`Trigger ${job.data?.name ?? "job"}`}
        lead={<>Each test sees a parameter as the variable <code>SERVICE_PARAM_</code> with the parameter’s name.</>}
      />
      {job.error && <PageError thing="This job" what="The job" error={job.error} retry={() => void job.refetch()} />}
      {!ready && !job.error && <Skeleton name="the form" rows={3} />}
      {ready && run && <EarlierRun run={earlier.data} dropped={dropped} />}
      {ready && <TriggerForm job={job.data} initial={initial} />}
    </div>
  );
}

/** The form that a job's parameters make; `?run=` starts with the values of that run. */
export default function TriggerPage() {
  return <NeedsEditor><Trigger /></NeedsEditor>;
}
