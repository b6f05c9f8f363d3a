import { useId } from "react";

interface DaysProps {
  from?: string;
  to?: string;
  onChange: (change: { from?: string; to?: string }) => void;
}

/** The first and the last day of a list, in the reader's zone. */
export function DayFields({ from = "", to = "", onChange }: DaysProps) {
  const id = useId();
  return (
    <span className="row g-2">
      <label className="vh" htmlFor={`${id}-from`}>From</label>
      <input
        className="input date" id={`${id}-from`} name="from" type="date" value={from} max={to || undefined}
        onChange={(event) => onChange({ from: event.target.value || undefined })}
      />
      <span className="faint" aria-hidden="true">to</span>
      <label className="vh" htmlFor={`${id}-to`}>To</label>
      <input
        className="input date" id={`${id}-to`} name="to" type="date" value={to} min={from || undefined}
        onChange={(event) => onChange({ to: event.target.value || undefined })}
      />
    </span>
  );
}
