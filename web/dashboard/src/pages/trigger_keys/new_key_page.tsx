import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { ActError } from "../../parts/feedback";
import { FieldNote, FormErrors, SelectField, TextField, detailsByField, sentence } from "../../parts/field";
import { PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import type { Made } from "../credentials/credential_kind";
import { splitSecret } from "../credentials/credential_kind";
import { CredentialSecret } from "../credentials/credential_secret";
import { ExpiryField } from "../credentials/expiry_field";
import { JobCrumbs, useJob } from "../jobs/job_frame";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { type KeyFormErrors, type KeyFormValues, keyBody } from "./key_form_values";
import { useKeyKind } from "./key_kind";

const START: KeyFormValues = { name: "", life: "", addresses: "", limit: "", window: "60" };
const WINDOWS = [["1", "second"], ["60", "minute"], ["3600", "hour"], ["86400", "day"]] as const;
const LABELS: Record<keyof KeyFormValues, string> = {
  name: "Name", life: "Expires after", addresses: "Allowed addresses", limit: "Rate limit", window: "Window",
};

/** Returns the messages of a refusal by field of the form. */
function refusedFields(error: Error | null): KeyFormErrors {
  const errors: KeyFormErrors = {};
  for (const [field, message] of detailsByField(error)) {
    if (field === "/name") errors.name = sentence(message);
    else if (field.startsWith("/allowedCidrs")) errors.addresses = sentence(message);
    else if (field.startsWith("/rateLimit")) errors.limit = sentence(message);
  }
  if (error instanceof ApiError && error.code === "name_taken") errors.name = "Another key of the job has this name. Choose another one.";
  return errors;
}

function NewKeyForm({ jobId, onMade }: { jobId: string; onMade: (made: Made) => void }) {
  const { api } = useProject();
  const kind = useKeyKind(jobId);
  const client = useQueryClient();
  const [values, setValues] = useState(START);
  const [errors, setErrors] = useState<KeyFormErrors>({});
  const create = useMutation({
    mutationFn: (body: NonNullable<ReturnType<typeof keyBody>["body"]>) =>
      take(api.POST("/api/jobs/{id}/trigger-keys", { params: { path: { id: jobId } }, body })),
    onSuccess: ({ triggerKey }) => {
      void client.invalidateQueries({ queryKey: kind.listKey });
      onMade(splitSecret(triggerKey));
    },
    onError: (error) => setErrors(refusedFields(error)),
  });
  const changed = JSON.stringify(values) !== JSON.stringify(START) && !create.isSuccess;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."),
    enableBeforeUnload: () => changed,
  });
  const set = (field: keyof KeyFormValues) => (value: string) => {
    setValues((old) => ({ ...old, [field]: value }));
    setErrors((old) => ({ ...old, [field]: undefined }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const checked = keyBody(values);
    setErrors(checked.errors);
    if (checked.body) create.mutate(checked.body);
  };
  const { body } = keyBody(values);
  const wrong = (Object.keys(LABELS) as (keyof KeyFormValues)[])
    .filter((field) => errors[field])
    .map((field) => ({ id: `key-${field}`, text: `${LABELS[field]}: ${errors[field]}` }));
  return (
    <form className="form" noValidate onSubmit={submit}>
      {wrong.length > 0 && <FormErrors title="The key was not created" errors={wrong} />}
      {create.error && wrong.length === 0 && <ActError title="The key was not created" error={create.error} />}
      <TextField
        id="key-name" label="Name" name="name" value={values.name} onChange={set("name")} autoFocus autoComplete="off" maxLength={100}
        error={errors.name} hint="The pipeline that uses it, such as github. Unique among the job’s keys."
      />
      <ExpiryField value={values.life} onChange={set("life")} />
      <div className="field">
        <label className="label" htmlFor="key-addresses">Allowed addresses <span className="faint">optional</span></label>
        <textarea
          className="input input-mono" id="key-addresses" name="allowedCidrs" rows={3} spellCheck={false} value={values.addresses}
          onChange={(event) => set("addresses")(event.target.value)} aria-invalid={errors.addresses ? true : undefined}
          aria-describedby="key-addresses-note"
        />
        <FieldNote
          id="key-addresses-note" error={errors.addresses}
          hint="One IP address or range in each line, such as 203.0.113.0/24. Without any, the key works from everywhere."
        />
      </div>
      <div className="form-row">
        <TextField
          id="key-limit" label="Rate limit" name="limit" inputMode="numeric" optional value={values.limit} onChange={set("limit")}
          error={errors.limit} hint="Without one, 100 requests in a minute."
        />
        <SelectField label="Requests in a" name="windowSeconds" value={values.window} onChange={set("window")} options={WINDOWS} />
      </div>
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create key</button>
        <Link className="btn" to={kind.listPath}>Cancel</Link>
      </div>
      {body && <AsApi views={[{ request: { method: "POST", path: `/api/jobs/${jobId}/trigger-keys`, body } }]} />}
    </form>
  );
}

function NewKey() {
  const { project } = useProject();
  const { jobId } = useParams({ from: "/signed-in/$org/$project/jobs/$jobId/keys/new" });
  const job = useJob(jobId);
  const kind = useKeyKind(jobId);
  const [made, setMade] = useState<Made>();
  useTitle(made ? "Trigger key created" : "Create trigger key", job.data?.name, project.name);
  return (
    <div className="page page-narrow">
      <JobCrumbs job={job.data} jobId={jobId} last={made ? made.credential.name : "Create trigger key"} />
      {made
        ? (
          <>
            <PageHead
              title={`Trigger key created: ${made.credential.name}`}
              lead="This page shows the whole key once. Store it now. If you lose it, rotate the key."
            />
            <CredentialSecret made={made} kind={kind} role={`starts only ${job.data?.name ?? "this job"}`} />
          </>
        )
        : (
          <>
            <PageHead title="Create trigger key" lead={`The key can start ${job.data?.name ?? "this job"}, and nothing else.`} />
            <NewKeyForm jobId={jobId} onMade={setMade} />
          </>
        )}
    </div>
  );
}

export default function NewKeyPage() {
  return <NeedsEditor><NewKey /></NeedsEditor>;
}
