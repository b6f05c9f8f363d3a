import { type ComponentProps, type ReactNode, useId } from "react";
import { ApiError, type ErrorDetail } from "../api/errors";
import { Icon, Sign } from "./icon";
import { focusField, useRefusalFocus } from "./use_refusal_focus";

interface FieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  optional?: boolean;
  hint?: ReactNode;
  error?: string;
  mono?: boolean;
  large?: boolean;
}

/** A labelled input; an error replaces the hint. */
export function TextField({ label, value, onChange, optional, hint, error, mono, large, id, ...input }: FieldProps) {
  const own = useId();
  const field = id ?? own;
  const note = `${field}-note`;
  return (
    <div className="field">
      <label className="label" htmlFor={field}>
        {label} {optional && <span className="faint">optional</span>}
      </label>
      <input
        {...input}
        className={`input${mono ? " input-mono" : ""}${large ? " input-l" : ""}`}
        id={field}
        type={input.type ?? "text"}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? note : undefined}
      />
      <FieldNote id={note} hint={hint} error={error} />
    </div>
  );
}

export function FieldNote({ id, hint, error }: { id: string; hint?: ReactNode; error?: string }) {
  if (error) {
    return (
      <p className="field-error" id={id}>
        <Sign name="failed" look="s-failed" />
        <span>{error}</span>
      </p>
    );
  }
  return hint ? <p className="hint" id={id}>{hint}</p> : null;
}

interface SelectProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly (readonly [string, string])[];
  hideLabel?: boolean;
  hint?: ReactNode;
}

export function SelectField({ label, name, value, onChange, options, hideLabel, hint }: SelectProps) {
  const id = useId();
  const select = (
    <span className="select-box">
      {hideLabel && <label className="vh" htmlFor={id}>{label}</label>}
      <select
        className="select" id={id} name={name} value={value} onChange={(event) => onChange(event.target.value)}
        aria-describedby={hint ? `${id}-note` : undefined}
      >
        {options.map(([key, word]) => <option key={key} value={key}>{word}</option>)}
      </select>
      <Icon name="down" />
    </span>
  );
  if (hideLabel) return select;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>{label}</label>
      {select}
      <FieldNote id={`${id}-note`} hint={hint} />
    </div>
  );
}

/** Returns the messages of a refusal by field, for example of `/parameters/BRANCH`. */
export function detailsByField(error: Error | null | undefined): Map<string, string> {
  const details: ErrorDetail[] = error instanceof ApiError ? error.details : [];
  return new Map(details.map((one) => [one.field, one.message]));
}

export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

interface FormErrorsProps {
  title: string;
  errors: readonly { id: string; text: string }[];
}

/** The banner above a form with errors: each links to its field, and the first wrong field of the form takes the focus. */
export function FormErrors({ title, errors }: FormErrorsProps) {
  const count = errors.length === 1 ? "1 field needs a change" : `${errors.length} fields need a change`;
  const banner = useRefusalFocus(errors, errors.map((one) => one.id));
  return (
    <div className="banner s-failed" role="alert" tabIndex={-1} ref={banner}>
      <Sign name="failed" look="s-failed" />
      <div className="stack g-1">
        <p className="banner-title">{title}: {count}</p>
        <ul className="stack g-1 small">
          {errors.map((one) => (
            <li key={one.id}>
              <a
                href={`#${one.id}`} onClick={(event) => (event.preventDefault(), focusField(document.getElementById(one.id)))}
              >
                {one.text}
              </a>
            </li>
          ))}
        </ul>
      </div>
      <div className="actions" />
    </div>
  );
}
