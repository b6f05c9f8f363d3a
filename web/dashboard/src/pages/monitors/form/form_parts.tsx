import { type ReactNode, createContext, useContext } from "react";
import { FieldNote, SelectField, TextField } from "../../../parts/field";
import { SecretInput } from "../../../parts/secret_input";
import { type Field, fieldsOf, idOf } from "./fields";
import { type FormErrors, type FormValues, isIdle } from "./values";
import type { MonitorType } from "../monitor_queries";

interface FormContextValue {
  type: MonitorType;
  values: FormValues;
  errors: FormErrors;
  change: (change: (values: FormValues) => FormValues, pointer: string) => void;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

export function useForm(): FormContextValue {
  const value = useContext(FormContext);
  if (!value) throw new Error("The field belongs to a form of a monitor.");
  return value;
}

const labelOf = (type: MonitorType, pointer: string): Field => fieldsOf(type).find((one) => one.pointer === pointer)!;

/** Returns the text of a field and what changes it. */
export function useText(pointer: string): [string, (value: string) => void, string | undefined] {
  const { values, change, errors } = useForm();
  const set = (value: string) => change((old) => ({ ...old, texts: { ...old.texts, [pointer]: value } }), pointer);
  return [values.texts[pointer] ?? "", set, errors.get(pointer)];
}

interface TextProps {
  pointer: string;
  label?: string;
  hint?: ReactNode;
  mono?: boolean;
  placeholder?: string;
  autoFocus?: boolean;
}

/** A text or a whole number of the form. */
export function FormText({ pointer, label, hint, mono, placeholder, autoFocus }: TextProps) {
  const { type, values } = useForm();
  const [value, set, error] = useText(pointer);
  const field = labelOf(type, pointer);
  if (isIdle(pointer, values)) return null;
  const number = field.kind === "whole";
  const needed = "required" in field && field.required;
  const optional = !needed && !number && !("default" in field) && !pointer.startsWith("/config/auth/");
  return (
    <TextField
      id={idOf(pointer)} label={label ?? field.label} name={pointer} value={value} onChange={set} error={error} hint={hint} mono={mono}
      optional={optional} inputMode={number ? "numeric" : undefined} placeholder={placeholder}
      autoComplete="off" spellCheck={false} autoFocus={autoFocus && value === ""}
    />
  );
}

/** A text of several lines. */
export function FormArea({ pointer, hint, rows = 3 }: { pointer: string; hint?: ReactNode; rows?: number }) {
  const { type } = useForm();
  const [value, set, error] = useText(pointer);
  const id = idOf(pointer);
  return (
    <div className="field">
      <label className="label" htmlFor={id}>{labelOf(type, pointer).label} <span className="faint">optional</span></label>
      <textarea
        className="input input-mono" id={id} name={pointer} rows={rows} spellCheck={false} value={value}
        onChange={(event) => set(event.target.value)} aria-invalid={error ? true : undefined} aria-describedby={`${id}-note`}
      />
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

interface ChoiceProps {
  pointer: string;
  options: readonly (readonly [string, string])[];
  hint?: ReactNode;
}

export function FormChoice({ pointer, options, hint }: ChoiceProps) {
  const { type } = useForm();
  const [value, set, error] = useText(pointer);
  const known = options.some(([one]) => one === value) || value === "";
  return (
    <SelectField
      label={labelOf(type, pointer).label} name={pointer} value={value} onChange={set} hint={error ?? hint}
      options={known ? options : [...options, [value, value] as const]}
    />
  );
}

export function FormFlag({ pointer, word }: { pointer: string; word?: ReactNode }) {
  const { type, values, change } = useForm();
  const field = labelOf(type, pointer);
  return (
    <label className="check">
      <input
        type="checkbox" name={pointer} id={idOf(pointer)} checked={values.flags[pointer] ?? false}
        onChange={(event) => {
          const on = event.target.checked;
          change((old) => ({ ...old, flags: { ...old.flags, [pointer]: on } }), pointer);
        }}
      />
      <span>{word ?? field.label}</span>
    </label>
  );
}

export function FormSecret({ pointer }: { pointer: string }) {
  const { type, values } = useForm();
  const [value, set, error] = useText(pointer);
  if (isIdle(pointer, values)) return null;
  return (
    <div className="field">
      <SecretInput
        id={idOf(pointer)} label={labelOf(type, pointer).label} value={value} onChange={set} error={error}
        hint={<>It is stored encrypted and never shown. A reference such as <code>{"{{NAME}}"}</code> names a variable.</>}
      />
    </div>
  );
}

/** One part of the form. */
export function FormPanel({ id, title, aside, children }: { id: string; title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel" aria-labelledby={`${id}-head`}>
      <div className="panel-head"><h2 id={`${id}-head`}>{title}</h2>{aside}</div>
      <div className="panel-body form">{children}</div>
    </section>
  );
}
