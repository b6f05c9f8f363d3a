import { type FormEvent, type ReactNode } from "react";
import { ActError } from "../../parts/feedback";
import { FieldNote, FormErrors, TextField, detailsByField, sentence } from "../../parts/field";
import { MonitorChoice } from "../monitors/monitor_choice";
import { useTags } from "../tags/use_tags";
import { PublicationFields } from "./publication_fields";
import { TimeFields } from "./time_fields";
import {
  type FieldError, MOST_DESCRIPTION, MOST_MONITORS, MOST_NAME, type WindowValues, errorsOf, idOf, inputOf,
} from "./window_values";

const COVERS = [["monitors", "Chosen monitors"], ["tags", "Monitors with a tag"], ["all", "All monitors of the project"]] as const;

interface PartProps {
  values: WindowValues;
  set: (part: Partial<WindowValues>) => void;
  errorOf: (name: string) => string | undefined;
}

function TagChoice({ values, set, errorOf }: PartProps) {
  const tags = useTags();
  const error = errorOf("tags");
  const toggle = (id: string, on: boolean) => set({ tags: on ? [...values.tags, id] : values.tags.filter((one) => one !== id) });
  return (
    <fieldset className="stack g-2" id={idOf("tags")} tabIndex={-1}>
      <legend className="label">Tags</legend>
      <div className="row g-4">
        {tags.data?.map((tag) => (
          <label className="check" key={tag.id}>
            <input
              type="checkbox" name={`tag-${tag.id}`} checked={values.tags.includes(tag.id)}
              onChange={(event) => toggle(tag.id, event.target.checked)}
            />
            <span>{tag.name}</span>
          </label>
        ))}
      </div>
      {tags.data?.length === 0 && <p className="muted">The project has no tag yet.</p>}
      <FieldNote id={`${idOf("tags")}-note`} error={error} hint="Also monitors that get one of these tags later are covered." />
    </fieldset>
  );
}

function CoverFields(props: PartProps) {
  const { values, set, errorOf } = props;
  return (
    <>
      <fieldset className="stack g-2">
        <legend className="label">Covers</legend>
        <div className="row g-6">
          {COVERS.map(([key, word]) => (
            <label className="check" key={key}>
              <input type="radio" name="cover" checked={values.cover === key} onChange={() => set({ cover: key })} />
              <span>{word}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {values.cover === "monitors" && (
        <MonitorChoice
          id={idOf("monitors")} legend="Monitors" add="Add a monitor" chosen={values.monitors} most={MOST_MONITORS}
          error={errorOf("monitors")} onChange={(monitors) => set({ monitors })}
        />
      )}
      {values.cover === "tags" && <TagChoice {...props} />}
      {values.cover === "all" && <FieldNote id={`${idOf("monitors")}-note`} error={errorOf("monitors")} />}
    </>
  );
}

interface FormProps {
  values: WindowValues;
  set: (part: Partial<WindowValues>) => void;
  /** The zone of the fields of times, which stays while the form is open. */
  zone: string;
  /** True if the window has started, so that its start is given. */
  started?: boolean;
  /** The form of the saved window. */
  stored?: WindowValues;
  /** True once the user tried to save: errors show from then on. */
  tried: boolean;
  refusal: Error | null;
  /** Such as "The window was not saved". */
  failure: string;
  submit: () => void;
  children: ReactNode;
}

/** The fields of a window. The page around it decides how they are saved. */
export function WindowForm({ values, set, zone, started, stored, tried, refusal, failure, submit, children }: FormProps) {
  const refused: FieldError[] = [...detailsByField(refusal)].map(([pointer, text]) => ({ id: inputOf(pointer), text: sentence(text) }));
  const errors = [...(tried ? errorsOf(values, zone, new Date(), stored) : []), ...refused];
  const errorOf = (name: string) => errors.find((one) => one.id === idOf(name))?.text;
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      {errors.length > 0 && <FormErrors title={failure} errors={errors} />}
      {refusal && refused.length === 0 && <ActError title={failure} error={refusal} />}
      <TextField
        label="Name" id={idOf("name")} name="name" value={values.name} onChange={(name) => set({ name })} maxLength={MOST_NAME}
        autoComplete="off" error={errorOf("name")}
      />
      <TextField
        label="Description" id={idOf("description")} name="description" optional value={values.description} maxLength={MOST_DESCRIPTION}
        autoComplete="off" onChange={(description) => set({ description })} error={errorOf("description")}
      />
      <CoverFields values={values} set={set} errorOf={errorOf} />
      <TimeFields values={values} set={set} errorOf={errorOf} zone={zone} started={started} />
      <label className="check">
        <input
          type="checkbox" name="excludeFromUptime" checked={values.excludeFromUptime}
          onChange={(event) => set({ excludeFromUptime: event.target.checked })}
        />
        <span>Leave the time out of the uptime: it counts neither as up nor as down</span>
      </label>
      <PublicationFields values={values} set={set} errorOf={errorOf} />
      {children}
    </form>
  );
}
