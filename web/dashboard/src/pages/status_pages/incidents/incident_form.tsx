import { type FormEvent, type ReactNode } from "react";
import { type FieldError, FormBanner, errorFinder } from "../field_errors";
import type { IncidentStatus, PageComponent } from "../page_queries";
import { BodyField, ComponentStatuses, NameFields, NotifyField, StatusChoice, TimeField } from "./incident_fields";
import { type IncidentValues, MOST_DAYS_BACK } from "./incident_values";

const FORM = "incident";
const STATUSES = ["investigating", "identified", "monitoring", "resolved"] as const;

interface FormProps {
  values: IncidentValues;
  set: (part: Partial<IncidentValues>) => void;
  components: readonly Pick<PageComponent, "id" | "name">[];
  zone: string;
  errors: readonly FieldError[];
  refusal: Error | null;
  submit: () => void;
  children: ReactNode;
}

/** A new incident with its first update. */
export function IncidentForm({ values, set, components, zone, errors, refusal, submit, children }: FormProps) {
  const errorOf = errorFinder(errors, refusal);
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      <FormBanner form={FORM} failure="The incident was not published" errors={errors} refusal={refusal} />
      <NameFields form={FORM} values={values} set={set} errorOf={errorOf} />
      <StatusChoice value={values.status} statuses={STATUSES} onChange={(status) => set({ status: status as IncidentStatus })} />
      <BodyField form={FORM} value={values.body} onChange={(body) => set({ body })} errorOf={errorOf} />
      <ComponentStatuses components={components} chosen={values.components} onChange={(chosen) => set({ components: chosen })} />
      <TimeField
        form={FORM} name="startedAt" label="Started" zone={zone} optional value={values.startedAt} errorOf={errorOf}
        onChange={(startedAt) => set({ startedAt })} hint={`Now, unless you enter a time of the last ${MOST_DAYS_BACK} days.`}
      />
      <NotifyField value={values.notify} onChange={(notify) => set({ notify })} />
      {children}
    </form>
  );
}
