import type { FormEvent, ReactNode } from "react";
import { ActError } from "../../../parts/feedback";
import { FormErrors, TextField, detailsByField, sentence } from "../../../parts/field";
import { durationText } from "../../../time/format";
import type { useProviders } from "../../providers/provider_queries";
import { AlertFields } from "./alert_fields";
import { type FieldError, type JobValues, errorsOf, inputOf } from "./job_values";
import { ParameterFields } from "./parameter_fields";
import { ScheduleFields } from "./schedule_fields";
import { TestOrder, type useTestNames } from "./test_order";

interface FormProps {
  values: JobValues;
  set: (part: Partial<JobValues>) => void;
  jobType: string;
  names: ReturnType<typeof useTestNames>;
  providers: ReturnType<typeof useProviders>;
  /** True once the user tried to save: errors show from then on. */
  tried: boolean;
  refusal: Error | null;
  /** Such as "The job was not saved". */
  failure: string;
  submit: () => void;
  /** A field before the tests that only a new job has. */
  type?: ReactNode;
  children: ReactNode;
}

/** The fields of a job. The page around it decides how they are saved. */
export function JobForm(props: FormProps) {
  const { values, set, jobType, names, providers, tried, refusal, failure, submit, type, children } = props;
  const details = detailsByField(refusal);
  const refused: FieldError[] = [...details].map(([pointer, text]) => ({ id: inputOf(pointer, values), text: sentence(text) }));
  const errors = [...(tried ? errorsOf(values) : []), ...refused];
  const errorOf = (id: string) => errors.find((one) => one.id === id)?.text;
  const limit = Number(values.timeoutSeconds);
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      {errors.length > 0 && <FormErrors title={failure} errors={errors} />}
      {refusal && refused.length === 0 && <ActError title={failure} error={refusal} />}
      <TextField
        label="Name" id="job-name" name="name" value={values.name} onChange={(name) => set({ name })} maxLength={255} autoComplete="off"
        error={errorOf("job-name")}
      />
      <TextField
        label="Description" id="job-description" name="description" optional value={values.description} maxLength={2000} autoComplete="off"
        onChange={(description) => set({ description })} error={errorOf("job-description")}
      />
      {type}
      <label className="check">
        <input type="checkbox" name="enabled" checked={values.enabled} onChange={(event) => set({ enabled: event.target.checked })} />
        <span>Enabled: pipelines, schedules and people can start it</span>
      </label>
      <TestOrder
        jobType={jobType} tests={values.tests} names={names} onChange={(tests) => set({ tests })} error={errorOf("job-tests")}
      />
      <ScheduleFields cron={values.cronSchedule} zone={values.timeZone} errorOf={errorOf} onChange={set} />
      <ParameterFields parameters={values.parameters} errors={errors} onChange={(parameters) => set({ parameters })} />
      <AlertFields
        values={values.alertConfig} providers={providers} errorOf={errorOf} onChange={(alertConfig) => set({ alertConfig })}
      />
      <div className="form-row">
        <TextField
          label="Time limit, seconds" id="job-timeoutSeconds" name="timeoutSeconds" inputMode="numeric" autoComplete="off"
          value={values.timeoutSeconds} onChange={(timeoutSeconds) => set({ timeoutSeconds })} error={errorOf("job-timeoutSeconds")}
          hint={limit > 0 ? `A run ends after ${durationText(limit * 1000)}.` : undefined}
        />
        <TextField
          label="Concurrent runs" id="job-maxConcurrentRuns" name="maxConcurrentRuns" inputMode="numeric" optional autoComplete="off"
          value={values.maxConcurrentRuns} onChange={(maxConcurrentRuns) => set({ maxConcurrentRuns })}
          error={errorOf("job-maxConcurrentRuns")} hint="Further runs wait. Empty: no limit of the job."
        />
      </div>
      {children}
    </form>
  );
}
