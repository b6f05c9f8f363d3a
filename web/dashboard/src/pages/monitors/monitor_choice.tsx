import { useState } from "react";
import { FieldNote } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { type Choice, SearchSelect } from "../../parts/search_select";
import { useProject } from "../project_context";
import { searchMonitors, useMonitorNames } from "./monitor_names";

interface ChoiceProps {
  id: string;
  /** The name of the list, and the label of the field that adds to it. */
  legend: string;
  add: string;
  chosen: readonly string[];
  /** A monitor that cannot be chosen. */
  without?: string;
  most: number;
  hint?: string;
  error?: string;
  onChange: (ids: string[]) => void;
}

/** A list of monitors, each found by words of its name. */
export function MonitorChoice({ id, legend, add, chosen, without, most, hint, error, onChange }: ChoiceProps) {
  const { api, key } = useProject();
  const [learned, setLearned] = useState<ReadonlyMap<string, string>>(new Map());
  const [asked, setAsked] = useState(chosen);
  const [said, setSaid] = useState("");
  // A choice that this list did not make, such as the saved version of a conflict, has a name to read.
  const fresh = chosen.filter((one) => !asked.includes(one) && !learned.has(one));
  if (fresh.length > 0) setAsked([...asked, ...fresh]);
  const nameOf = useMonitorNames(asked);
  const shown = (one: string) => learned.get(one) ?? nameOf(one);
  const choose = (choice: Choice) => {
    if (chosen.includes(choice.id)) return;
    setLearned((old) => new Map(old).set(choice.id, choice.word));
    setSaid(`${choice.word} was added.`);
    onChange([...chosen, choice.id]);
  };
  const remove = (one: string) => {
    setSaid(`${shown(one)} was removed.`);
    onChange(chosen.filter((other) => other !== one));
  };
  const present = new Set([...chosen, ...(without ? [without] : [])]);
  return (
    <fieldset className="stack g-3" id={id} tabIndex={-1}>
      <legend className="label">{legend}</legend>
      {chosen.length > 0 && (
        <ul className="form-list">
          {chosen.map((one) => (
            <li key={one}>
              <bdi className="medium wrap-any">{shown(one)}</bdi>
              <button
                className="btn btn-s btn-quiet btn-icon push" type="button" aria-label={`Remove ${shown(one)}`} onClick={() => remove(one)}
              >
                <Icon name="x" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length < most
        ? (
          <SearchSelect
            label={add} name={`${id}-add`} placeholder="Search by name or target" queryKey={[key, "monitor-choice", [...present].join()]}
            search={(words, signal) => searchMonitors(api, present, words, signal)} onChoose={choose} hint={hint} error={error}
          />
        )
        : (
          <>
            <p className="small muted">At most {most} monitors can be added.</p>
            <FieldNote id={`${id}-note`} error={error} />
          </>
        )}
      <p className="vh" role="status">{said}</p>
    </fieldset>
  );
}
