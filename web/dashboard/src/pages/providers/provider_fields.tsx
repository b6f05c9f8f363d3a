import { FieldNote, SelectField, TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { SecretInput } from "../../parts/secret_input";
import type { PointerErrors } from "../../parts/use_tested_form";
import type { ProviderType } from "./provider_queries";
import { PROVIDER_FIELDS, type ProviderField, type ProviderValues, newHeaderRow } from "./provider_form_values";

export const providerFieldId = (pointer: string): string => `p${pointer.replaceAll("/", "-")}`;

interface FieldsProps {
  type: ProviderType;
  values: ProviderValues;
  errors: PointerErrors;
  /** True if a stored provider has a signing secret. */
  signed: boolean;
  change: (change: (values: ProviderValues) => ProviderValues, pointer: string) => void;
}

function Headers({ values, errors, change }: FieldsProps) {
  const pointer = "/config/headers";
  const set = (id: number, part: { name?: string; value?: string }) => change(
    (old) => ({ ...old, headers: old.headers.map((row) => (row.id === id ? { ...row, ...part } : row)) }), pointer,
  );
  return (
    <fieldset className="stack g-2" id={providerFieldId(pointer)} tabIndex={-1}>
      <legend className="label">Headers</legend>
      {values.headers.length > 0 && (
        <ul className="form-list">
          {values.headers.map(({ id, name, value }, at) => (
            <li key={id}>
              <label className="vh" htmlFor={`hook-header-${id}`}>Name of header {at + 1}</label>
              <input
                className="input input-mono" id={`hook-header-${id}`} value={name} maxLength={64} autoComplete="off" spellCheck={false}
                onChange={(event) => set(id, { name: event.target.value })}
              />
              <SecretInput
                id={name ? providerFieldId(`${pointer}/${name}`) : `hook-value-${id}`} label={`Value of header ${at + 1}`} hideLabel
                value={value} onChange={(text) => set(id, { value: text })}
              />
              <button
                className="btn btn-s btn-quiet btn-icon" type="button" aria-label={`Remove header ${name || at + 1}`}
                onClick={() => change((old) => ({ ...old, headers: old.headers.filter((row) => row.id !== id) }), pointer)}
              >
                <Icon name="x" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {[...errors].filter(([one]) => one.startsWith(pointer)).map(([one, error]) => (
        <FieldNote key={one} id={`${providerFieldId(one)}-note`} error={error} />
      ))}
      <div>
        <button
          className="btn btn-s" type="button"
          onClick={() => change((old) => ({ ...old, headers: [...old.headers, { id: newHeaderRow(), name: "", value: "" }] }), pointer)}
        >
          <Icon name="plus" small />Add header
        </button>
      </div>
      <p className="hint">Values are stored encrypted and shown masked.</p>
    </fieldset>
  );
}

function Signing({ values, signed, change }: FieldsProps) {
  const options = [
    ...(signed ? [["keep", "Sign with the present secret"] as const] : []),
    ["generate", signed ? "Make a new secret" : "Sign messages with a new secret"] as const, ["none", "Do not sign"] as const,
  ];
  return (
    <SelectField
      label="Signature" name="signing" value={values.signing} options={options}
      onChange={(value) => change((old) => ({ ...old, signing: value as ProviderValues["signing"] }), "/config/signingSecret")}
      hint="A receiver can check that messages come from here (Standard Webhooks). The secret is shown once, after saving."
    />
  );
}

function OneField({ field, ...props }: FieldsProps & { field: ProviderField }) {
  const { values, errors, change } = props;
  const pointer = `/config/${field.name}`;
  const id = providerFieldId(pointer);
  const value = values.texts[field.name] ?? "";
  const error = errors.get(pointer);
  const set = (text: string) => change((old) => ({ ...old, texts: { ...old.texts, [field.name]: text } }), pointer);
  if (field.kind === "headers") return <Headers {...props} />;
  if (field.kind === "signing") return <Signing {...props} />;
  if (field.kind === "choice") {
    return <SelectField label={field.label} name={field.name} value={value} onChange={set} options={field.options} hint={field.hint} />;
  }
  if (field.kind === "secret") {
    return (
      <div className="field">
        <SecretInput
          id={id} label={field.label} optional={!field.required} value={value} onChange={set} error={error}
          hint={`${field.hint ? `${field.hint} ` : ""}It is stored encrypted and shown masked.`}
        />
      </div>
    );
  }
  if (field.kind === "lines" || field.kind === "area") {
    return (
      <div className="field">
        <label className="label" htmlFor={id}>{field.label} {field.kind === "area" && <span className="faint">optional</span>}</label>
        <textarea
          className="input input-mono" id={id} name={field.name} rows={field.kind === "area" ? 5 : 3} spellCheck={false} value={value}
          onChange={(event) => set(event.target.value)} aria-invalid={error ? true : undefined} aria-describedby={`${id}-note`}
        />
        <FieldNote id={`${id}-note`} hint={field.hint} error={error} />
      </div>
    );
  }
  const whole = field.kind === "whole";
  return (
    <TextField
      id={id} label={field.label} name={field.name} value={value} onChange={set} error={error} hint={field.hint} mono={!whole}
      optional={field.default === undefined && !("required" in field && field.required)} inputMode={whole ? "numeric" : undefined}
      placeholder={whole ? undefined : field.placeholder} autoComplete="off" spellCheck={false}
    />
  );
}

/** The fields of a type, in the order of its table. */
export function ProviderFields(props: FieldsProps) {
  return <>{PROVIDER_FIELDS[props.type].map((field) => <OneField key={field.name} field={field} {...props} />)}</>;
}
