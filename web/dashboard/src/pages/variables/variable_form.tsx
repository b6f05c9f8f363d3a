import { useBlocker } from "@tanstack/react-router";
import type { FormEvent, ReactNode } from "react";
import { ApiError } from "../../api/errors";
import { ActError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { useRefusalFocus } from "../../parts/use_refusal_focus";
import { ValueField } from "./value_field";
import { type VariableErrors, type VariableField, type VariableValues, errorsOf } from "./variable_values";

interface FormProps {
  values: VariableValues;
  set: (part: Partial<VariableValues>) => void;
  /** True if a secret is stored. */
  stored: boolean;
  /** True once the user tried to save: errors show from then on. */
  tried: boolean;
  changed: boolean;
  refusal: Error | null;
  /** Such as "The variable was not saved". */
  failure: string;
  submit: () => void;
  /** The acts. */
  children: ReactNode;
}

const idOf = (field: VariableField): string => `variable-${field}`;

function refusedFields(error: Error | null): VariableErrors {
  const found = [...detailsByField(error)].map(([field, text]) => [field.slice(1) as VariableField, sentence(text)] as const);
  const errors: VariableErrors = new Map(found);
  if (error instanceof ApiError && error.code === "name_taken") errors.set("key", "Another variable of this project has this name.");
  return errors;
}

/** The fields of a variable. The page around it decides how they are saved. */
export function VariableForm({ values, set, stored, tried, changed, refusal, failure, submit, children }: FormProps) {
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const refused = refusedFields(refusal);
  const errors: VariableErrors = new Map([...refused, ...(tried ? errorsOf(values) : [])]);
  // The field names its error, which nothing else would announce.
  useRefusalFocus(errors, [...errors.keys()].map(idOf));
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      {refusal && refused.size === 0 && <ActError title={failure} error={refusal} />}
      <TextField
        id={idOf("key")} label="Name" name="key" value={values.key} onChange={(key) => set({ key })} maxLength={64} autoComplete="off"
        spellCheck={false} mono autoFocus={values.key === ""} error={errors.get("key")}
        hint={<>Scripts find it in their environment, and monitors as <code>{`{{${values.key.trim() || "NAME"}}}`}</code>.</>}
      />
      <ValueField id={idOf("value")} values={values} set={set} stored={stored} error={errors.get("value")} />
      <label className="check">
        <input
          type="checkbox" name="isSecret" checked={values.isSecret} onChange={(event) => set({ isSecret: event.target.checked })}
        />
        <span>This value is a secret</span>
      </label>
      <TextField
        id={idOf("description")} label="Description" name="description" value={values.description}
        onChange={(description) => set({ description })} optional autoComplete="off" error={errors.get("description")}
      />
      <div className="form-actions">{children}</div>
    </form>
  );
}
