import { useState } from "react";
import { ConflictFrame } from "./conflict_frame";

type Version = "saved" | "mine";

/** One field that has two versions, in words. */
export interface Difference<Field extends string = string> {
  field: Field;
  word: string;
  saved: string;
  mine: string;
  /** The version to take unless the user chooses another one: one's own, if one has changed the field. */
  start: Version;
}

interface ConflictProps<Field extends string> {
  /** Such as "job". */
  thing: string;
  differences: readonly Difference<Field>[];
  savedAt: string;
  busy: boolean;
  /** Saves the own version of all fields but these. */
  save: (saved: Field[]) => void;
  /** Gives up the own version. */
  load: () => void;
}

/** Somebody else saved first: both versions of each field that differs, and a choice. The form below keeps what was typed. */
export function Conflict<Field extends string>({ thing, differences, savedAt, busy, save, load }: ConflictProps<Field>) {
  const [choice, setChoice] = useState<Partial<Record<string, Version>>>({});
  const chosen = (one: Difference<Field>): Version => choice[one.field] ?? one.start;
  const equal = differences.length === 0;
  return (
    <ConflictFrame
      thing={thing} savedAt={savedAt} lead="Your changes are not saved and stay in the form. Choose one version of each field."
      saveWord={equal ? undefined : "Save the chosen versions"} busy={busy} load={load}
      save={() => save(differences.filter((one) => chosen(one) === "saved").map((one) => one.field))}
    >
      <ul className="stack g-3">
        {differences.map((one) => (
          <li key={one.field}>
            <fieldset className="stack g-1">
              <legend className="label">{one.word}</legend>
              <div className="form-row">
                {(["saved", "mine"] as const).map((version) => (
                  <label className="check" key={version}>
                    <input
                      type="radio" name={`version-${one.field}`} checked={chosen(one) === version}
                      onChange={() => setChoice((old) => ({ ...old, [one.field]: version }))}
                    />
                    <span className="stack">
                      <span className="small muted">{version === "saved" ? "Saved version" : "Your version"}</span>
                      <bdi className="wrap-any conflict-text">{one[version]}</bdi>
                    </span>
                  </label>
                ))}
              </div>
            </fieldset>
          </li>
        ))}
      </ul>
      {equal && <p className="small">Both versions are equal now. Load the saved one to go on.</p>}
    </ConflictFrame>
  );
}
