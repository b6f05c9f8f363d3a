import { ApiError } from "../../api/errors";
import { ActError } from "../../parts/feedback";
import { FieldNote, FormErrors, detailsByField, sentence } from "../../parts/field";

/** What is wrong with one field of a form, by the name of the field. */
export interface FieldError {
  name: string;
  text: string;
}

interface Refused {
  fields: FieldError[];
  /** The refusal, if it names no field. */
  other: Error | null;
}

/** Refusals of one field that have a code of their own. */
const FIELDS: Record<string, string> = { slug_taken: "slug", slug_change_limit_reached: "slug", domain_taken: "customDomain" };

/** Returns the fields that a refusal names, such as `monitorIds` of `/monitorIds/3`. */
export function refusedFields(refusal: Error | null): Refused {
  const fields = [...detailsByField(refusal)].map(([pointer, text]) => ({ name: pointer.split("/")[1] || "name", text: sentence(text) }));
  const own = refusal instanceof ApiError ? FIELDS[refusal.code] : undefined;
  if (own && fields.length === 0) fields.push({ name: own, text: sentence(refusal!.message) });
  return { fields, other: fields.length > 0 ? null : refusal };
}

interface BannerProps {
  /** The start of the ids of the fields. */
  form: string;
  /** Such as "The page was not saved". */
  failure: string;
  errors: readonly FieldError[];
  refusal: Error | null;
}

/** The banner above a form: its errors with links to their fields, or the refusal. */
export function FormBanner({ form, failure, errors, refusal }: BannerProps) {
  const refused = refusedFields(refusal);
  const all = [...errors, ...refused.fields].map(({ name, text }) => ({ id: `${form}-${name}`, text }));
  return (
    <>
      {all.length > 0 && <FormErrors title={failure} errors={all} />}
      {refused.other && <ActError title={failure} error={refused.other} />}
    </>
  );
}

/** Returns the error of a field, its own or that of the refusal. */
export const errorFinder = (errors: readonly FieldError[], refusal: Error | null) => (name: string): string | undefined =>
  [...errors, ...refusedFields(refusal).fields].find((one) => one.name === name)?.text;

interface AreaProps {
  label: string;
  id: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  most?: number;
  optional?: boolean;
  mono?: boolean;
  hint?: string;
  error?: string;
}

/** A labelled text of several lines; an error replaces the hint. */
export function TextArea({ label, id, name, value, onChange, rows = 3, most, optional, mono, hint, error }: AreaProps) {
  return (
    <div className="field">
      <label className="label" htmlFor={id}>{label} {optional && <span className="faint">optional</span>}</label>
      <textarea
        className={mono ? "input input-mono" : "input"} id={id} name={name} rows={rows} maxLength={most} value={value}
        onChange={(event) => onChange(event.target.value)} aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-note` : undefined}
      />
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}
