import { type FormEvent, type ReactNode } from "react";
import { SelectField, TextField } from "../../../parts/field";
import { MonitorChoice } from "../../monitors/monitor_choice";
import { type FieldError, FormBanner, errorFinder } from "../field_errors";
import { SET_STATUS_WORDS } from "../page_states";
import { type ComponentValues, MOST_DESCRIPTION, MOST_GROUP, MOST_MONITORS, MOST_NAME } from "./component_values";

const FORM = "component";
const idOf = (name: string): string => `${FORM}-${name}`;
const OVERRIDES = [["", "None: the monitors decide"], ...SET_STATUS_WORDS] as const;
const RULES = [
  ["worst_case", "Worst case: all down is a major outage, one down a partial outage"],
  ["majority_vote", "Majority: more than half down is a major outage, one down degrades"],
] as const;

interface FormProps {
  values: ComponentValues;
  set: (part: Partial<ComponentValues>) => void;
  /** Groups that the page has, as suggestions. */
  groups: readonly string[];
  /** The zone of the field of time, which stays while the form is open. */
  zone: string;
  errors: readonly FieldError[];
  refusal: Error | null;
  /** Such as "The component was not saved". */
  failure: string;
  submit: () => void;
  children: ReactNode;
}

function OverrideFields({ values, set, zone, error }: Pick<FormProps, "values" | "set" | "zone"> & { error: string | undefined }) {
  return (
    <div className="form-row">
      <SelectField
        label="Status by hand" name="statusOverride" value={values.statusOverride} options={OVERRIDES}
        hint="It wins over monitors, incidents and maintenance."
        onChange={(status) => set({ statusOverride: status as ComponentValues["statusOverride"] })}
      />
      {values.statusOverride && (
        <TextField
          label={`Until, ${zone}`} id={idOf("overrideUntil")} name="overrideUntil" type="datetime-local" optional
          value={values.overrideUntil} onChange={(overrideUntil) => set({ overrideUntil })} error={error}
          hint="Without a time it stays until somebody removes it."
        />
      )}
    </div>
  );
}

/** The fields of a component. The page around it decides how they are saved. */
export function ComponentForm({ values, set, groups, zone, errors, refusal, failure, submit, children }: FormProps) {
  const errorOf = errorFinder(errors, refusal);
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      <FormBanner form={FORM} failure={failure} errors={errors} refusal={refusal} />
      <div className="form-row">
        <TextField
          label="Name" id={idOf("name")} name="name" value={values.name} onChange={(name) => set({ name })} maxLength={MOST_NAME}
          autoComplete="off" error={errorOf("name")}
        />
        <TextField
          label="Group" id={idOf("group")} name="group" optional value={values.group} onChange={(group) => set({ group })}
          maxLength={MOST_GROUP} autoComplete="off" list="component-groups" error={errorOf("group")}
          hint="Components of one group stand below its name."
        />
        <datalist id="component-groups">{groups.map((one) => <option key={one} value={one} />)}</datalist>
      </div>
      <TextField
        label="Description" id={idOf("description")} name="description" optional value={values.description} maxLength={MOST_DESCRIPTION}
        autoComplete="off" onChange={(description) => set({ description })} error={errorOf("description")}
      />
      <MonitorChoice
        id={idOf("monitorIds")} legend="Monitors" add="Add a monitor" chosen={values.monitorIds} most={MOST_MONITORS}
        error={errorOf("monitorIds")} onChange={(monitorIds) => set({ monitorIds })}
        hint="Without a monitor the component is operational until somebody sets its status."
      />
      {values.monitorIds.length > 1 && (
        <fieldset className="stack g-2">
          <legend className="label">Status of several monitors</legend>
          {RULES.map(([key, word]) => (
            <label className="check" key={key}>
              <input type="radio" name="aggregation" checked={values.aggregation === key} onChange={() => set({ aggregation: key })} />
              <span>{word}</span>
            </label>
          ))}
        </fieldset>
      )}
      <label className="check">
        <input
          type="checkbox" name="showUptime" checked={values.showUptime} onChange={(event) => set({ showUptime: event.target.checked })}
        />
        <span>Show the uptime and a bar for each of the last 90 days</span>
      </label>
      <OverrideFields values={values} set={set} zone={zone} error={errorOf("overrideUntil")} />
      {children}
    </form>
  );
}
