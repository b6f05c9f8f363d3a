import { useRef, useState } from "react";
import { FieldNote } from "../../parts/field";
import { MASK } from "../../parts/secret_input";
import type { VariableValues } from "./variable_values";

interface ValueProps {
  id: string;
  values: VariableValues;
  set: (part: Partial<VariableValues>) => void;
  /** True if a secret is stored, which can stay. */
  stored: boolean;
  error?: string;
}

const hintOf = ({ isSecret, kept }: VariableValues): string => {
  if (kept) return "Stored. It stays unless you replace it.";
  if (isSecret) return "Nobody can read it again, and output of runs shows a mask in its place.";
  return "Everybody with a role in the project can read it.";
};

/** A value of several lines. A stored secret has no text here, and a new one is hidden until its writer shows it. */
export function ValueField({ id, values, set, stored, error }: ValueProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const [shown, setShown] = useState(false);
  const { value, isSecret, kept } = values;
  const replace = () => {
    set({ value: "", kept: false });
    input.current?.focus();
  };
  return (
    <div className="field">
      <div className="row between">
        <label className="label" htmlFor={id}>Value</label>
        <span className="row g-2">
          {isSecret && !kept && (
            <button className="btn btn-s btn-quiet" type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>Show value</button>
          )}
          {stored && !kept && (
            <button className="btn btn-s" type="button" onClick={() => set({ value: "", kept: true, isSecret: true })}>
              Keep stored value
            </button>
          )}
          {kept && <button className="btn btn-s" type="button" onClick={replace}>Replace value</button>}
        </span>
      </div>
      <textarea
        className={isSecret && !kept && !shown ? "input input-mono masked" : "input input-mono"} id={id} ref={input} name="value" rows={4}
        value={kept ? MASK : value} readOnly={kept} onChange={(event) => set({ value: event.target.value })} autoComplete="off"
        spellCheck={false} aria-invalid={error ? true : undefined} aria-describedby={`${id}-note`}
      />
      <FieldNote id={`${id}-note`} hint={hintOf(values)} error={error} />
    </div>
  );
}
