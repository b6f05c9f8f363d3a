import { type ReactNode, useRef } from "react";
import { FieldNote } from "./field";

/** The service shows a stored secret as this, and takes it for "unchanged". */
export const MASK = "********";

interface SecretProps {
  id: string;
  label: string;
  hideLabel?: boolean;
  optional?: boolean;
  value: string;
  onChange: (value: string) => void;
  error?: string;
  hint?: ReactNode;
}

/** A secret: a stored one stays masked until it is replaced. */
export function SecretInput({ id, label, hideLabel, optional, value, onChange, error, hint }: SecretProps) {
  const input = useRef<HTMLInputElement>(null);
  const masked = value === MASK;
  const replace = () => {
    onChange("");
    input.current?.focus();
  };
  return (
    <>
      <label className={hideLabel ? "vh" : "label"} htmlFor={id}>{label}{optional && <span className="faint"> optional</span>}</label>
      <span className="secret-box">
        <input
          className="input input-mono" id={id} ref={input} value={value} readOnly={masked}
          onChange={(event) => onChange(event.target.value)} autoComplete="off" spellCheck={false} aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? `${id}-note` : undefined}
        />
        {masked && <button className="btn btn-s" type="button" aria-label={`Replace ${label}`} onClick={replace}>Replace</button>}
      </span>
      {!hideLabel && <FieldNote id={`${id}-note`} hint={masked ? "Stored. It stays unless you replace it." : hint} error={error} />}
    </>
  );
}
