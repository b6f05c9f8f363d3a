import { type FormEvent, type ReactNode, useId } from "react";
import { ApiError } from "../../api/errors";
import { ActError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { type TagBody, nameError } from "./tag_values";

/** The colour of a tag as a dot before its name, which says everything without it. */
export function TagDot({ color }: { color: string }) {
  return (
    <svg className="tag-dot" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="4" fill={color} />
    </svg>
  );
}

interface FormProps {
  values: TagBody;
  set: (part: Partial<TagBody>) => void;
  /** True once the user tried to save: errors show from then on. */
  tried: boolean;
  error: Error | null;
  /** Such as "The tag was not saved". */
  failure: string;
  verb: string;
  busy: boolean;
  submit: () => void;
  onClose: () => void;
  /** Both versions, while the saved one is not the one that was edited. */
  conflict?: ReactNode;
}

function fieldErrors(error: Error | null): Map<string, string> {
  const details = detailsByField(error);
  if (error instanceof ApiError && error.code === "name_taken") details.set("/name", "Another tag of this project has this name");
  return details;
}

/** The name and the colour of a tag, as the content of a dialog. */
export function TagForm({ values, set, tried, error, failure, verb, busy, submit, onClose, conflict }: FormProps) {
  const color = useId();
  const refused = fieldErrors(error);
  const refusedName = refused.get("/name");
  const wrong = tried ? nameError(values.name) : undefined;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) submit();
  };
  return (
    <form noValidate onSubmit={send}>
      <div className="dialog-body">
        {conflict}
        {error && refused.size === 0 && !conflict && <ActError title={failure} error={error} />}
        <TextField
          label="Name" name="name" value={values.name} onChange={(name) => set({ name })} maxLength={40} autoComplete="off"
          spellCheck={false} autoFocus={!conflict} error={wrong ?? (refusedName && sentence(refusedName))}
          hint="Letters, digits, underscores and hyphens."
        />
        <div className="field">
          <label className="label" htmlFor={color}>Colour</label>
          <span className="row g-2">
            <input
              className="input color" id={color} name="color" type="color" value={values.color}
              onChange={(event) => set({ color: event.target.value.toLowerCase() })}
            />
            <span className="tag"><TagDot color={values.color} />{values.name || "tag"}</span>
            <code className="faint">{values.color}</code>
          </span>
        </div>
      </div>
      <div className="dialog-foot">
        <button className="btn" type="button" onClick={onClose}>Cancel</button>
        <button className="btn btn-primary" type="submit" aria-disabled={busy} data-pending={busy || undefined}>{verb}</button>
      </div>
    </form>
  );
}
