import { useState } from "react";
import { SelectField, TextField } from "../../../parts/field";
import { TextArea } from "../field_errors";
import type { PageComponent } from "../page_queries";
import { IMPACTS, SET_STATUS_WORDS, type SetStatus, incidentState } from "../page_states";
import { type Affected, type FactValues, MOST_BODY, MOST_NAME, withStatus } from "./incident_values";

const NOT_AFFECTED = [["", "Not affected"], ...SET_STATUS_WORDS] as const;
const IMPACT_WORDS = Object.entries(IMPACTS);
/** Components that are shown at once; further ones open by a click. */
const FEW = 12;

interface ComponentProps {
  components: readonly Pick<PageComponent, "id" | "name">[];
  chosen: readonly Affected[];
  onChange: (chosen: Affected[]) => void;
}

function StatusRow({ one, chosen, onChange }: { one: Pick<PageComponent, "id" | "name"> } & Omit<ComponentProps, "components">) {
  return (
    <SelectField
      label={one.name} name={`component-${one.id}`} value={chosen.find(({ id }) => id === one.id)?.status ?? ""} options={NOT_AFFECTED}
      onChange={(status) => onChange(withStatus(chosen, one.id, status as SetStatus | ""))}
    />
  );
}

/** The status that the incident gives each component while it is open. Those that are affected at the start are shown at once. */
export function ComponentStatuses({ components, chosen, onChange }: ComponentProps) {
  // A component that moved when its status is chosen would lose the focus.
  const [start] = useState(() => new Set(chosen.map(({ id }) => id)));
  const first = components.filter((one, at) => at < FEW || start.has(one.id));
  const rest = components.filter((one) => !first.includes(one));
  if (components.length === 0) return <p className="small muted">The page has no component yet.</p>;
  return (
    <fieldset className="stack g-3">
      <legend className="label">Components, with their status while the incident is open</legend>
      <div className="form-grid-statuses">
        {first.map((one) => <StatusRow key={one.id} one={one} chosen={chosen} onChange={onChange} />)}
      </div>
      {rest.length > 0 && (
        <details className="details">
          <summary>{rest.length} further components</summary>
          <div className="form-grid-statuses">
            {rest.map((one) => <StatusRow key={one.id} one={one} chosen={chosen} onChange={onChange} />)}
          </div>
        </details>
      )}
    </fieldset>
  );
}

/** One status of several, all of them visible. */
export function StatusChoice({ value, statuses, onChange }: {
  value: string;
  statuses: readonly string[];
  onChange: (status: string) => void;
}) {
  return (
    <fieldset className="stack g-2">
      <legend className="label">Status of the incident</legend>
      <div className="row g-6">
        {statuses.map((one) => (
          <label className="check" key={one}>
            <input type="radio" name="status" checked={value === one} onChange={() => onChange(one)} />
            <span>{incidentState(one).word}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface PartProps {
  /** The start of the ids of the fields. */
  form: string;
  errorOf: (name: string) => string | undefined;
}

/** The name and the impact of an incident. */
export function NameFields({ form, values, set, errorOf }: PartProps & {
  values: Pick<FactValues, "name" | "impact">;
  set: (part: Partial<FactValues>) => void;
}) {
  return (
    <div className="form-row">
      <TextField
        label="Name" id={`${form}-name`} name="name" value={values.name} onChange={(name) => set({ name })} maxLength={MOST_NAME}
        autoComplete="off" error={errorOf("name")} hint="What visitors see go wrong, such as: Checkout fails."
      />
      <SelectField
        label="Impact" name="impact" value={values.impact} options={IMPACT_WORDS}
        onChange={(impact) => set({ impact: impact as FactValues["impact"] })}
      />
    </div>
  );
}

/** The text that visitors read. */
export function BodyField({ form, value, onChange, errorOf, rows = 4 }: PartProps & {
  value: string;
  onChange: (body: string) => void;
  rows?: number;
}) {
  return (
    <TextArea
      label="Text" id={`${form}-body`} name="body" rows={rows} most={MOST_BODY} value={value} onChange={onChange} error={errorOf("body")}
      hint="Plain text. Blank lines separate paragraphs, and addresses become links."
    />
  );
}

/** A wall time of the reader's zone. */
export function TimeField({ form, name, label, zone, value, onChange, errorOf, optional, hint }: PartProps & {
  name: string;
  label: string;
  zone: string;
  value: string;
  onChange: (value: string) => void;
  optional?: boolean;
  hint?: string;
}) {
  return (
    <TextField
      label={`${label}, ${zone}`} id={`${form}-${name}`} name={name} type="datetime-local" optional={optional} value={value}
      onChange={onChange} error={errorOf(name)} hint={hint}
    />
  );
}

export function NotifyField({ value, onChange, word = "Notify subscribers and providers of the page" }: {
  value: boolean;
  onChange: (on: boolean) => void;
  word?: string;
}) {
  return (
    <label className="check">
      <input type="checkbox" name="notify" checked={value} onChange={(event) => onChange(event.target.checked)} />
      <span>{word}</span>
    </label>
  );
}
