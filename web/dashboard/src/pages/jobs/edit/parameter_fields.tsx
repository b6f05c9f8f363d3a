import { Icon } from "../../../parts/icon";
import { FieldNote } from "../../../parts/field";
import { type FieldError, type ParameterRule, type ParameterValues, nextKey } from "./job_values";

const MOST_PARAMETERS = 100;
const RULES: readonly (readonly [ParameterRule, string])[] = [
  ["optional", "Optional"], ["required", "Required"], ["default", "With a default"],
];

interface ParametersProps {
  parameters: readonly ParameterValues[];
  errors: readonly FieldError[];
  onChange: (parameters: ParameterValues[]) => void;
}

/** The parameters that a trigger may pass. */
export function ParameterFields({ parameters, errors, onChange }: ParametersProps) {
  const set = (key: number, part: Partial<ParameterValues>) =>
    onChange(parameters.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const add = () => onChange([...parameters, { key: nextKey(), name: "", rule: "optional", default: "", required: false }]);
  return (
    <fieldset className="stack g-3" id="job-parameters" tabIndex={-1}>
      <legend className="label">Parameters</legend>
      <p className="hint">A trigger passes them; each test sees one as the variable <code>SERVICE_PARAM_</code> with its name.</p>
      {parameters.length > 0 && (
        <ul className="form-list">
          {parameters.map((one, at) => {
            const id = `job-parameter-${one.key}`;
            const error = errors.find((wrong) => wrong.id === id)?.text;
            const name = one.name || `parameter ${at + 1}`;
            return (
              <li key={one.key}>
                <label className="vh" htmlFor={id}>Name of parameter {at + 1}</label>
                <input
                  className="input input-mono" id={id} name="parameter" value={one.name} placeholder="BRANCH" maxLength={64}
                  spellCheck={false} autoComplete="off" aria-invalid={error ? true : undefined}
                  aria-describedby={error ? `${id}-note` : undefined} onChange={(event) => set(one.key, { name: event.target.value })}
                />
                <span className="select-box">
                  <label className="vh" htmlFor={`${id}-rule`}>Rule of {name}</label>
                  <select
                    className="select" id={`${id}-rule`} value={one.rule}
                    onChange={(event) => set(one.key, { rule: event.target.value as ParameterRule, required: false })}
                  >
                    {RULES.map(([rule, word]) => <option key={rule} value={rule}>{word}</option>)}
                  </select>
                  <Icon name="down" />
                </span>
                {one.rule === "default" && (
                  <>
                    <label className="vh" htmlFor={`${id}-default`}>Default of {name}</label>
                    <input
                      className="input input-mono" id={`${id}-default`} name="default" value={one.default} placeholder="empty"
                      maxLength={10_000} spellCheck={false} autoComplete="off"
                      onChange={(event) => set(one.key, { default: event.target.value })}
                    />
                  </>
                )}
                <button
                  className="btn btn-quiet btn-icon" type="button" aria-label={`Remove ${name}`}
                  onClick={() => onChange(parameters.filter((other) => other.key !== one.key))}
                >
                  <Icon name="x" />
                </button>
                <FieldNote id={`${id}-note`} error={error} />
              </li>
            );
          })}
        </ul>
      )}
      {parameters.length < MOST_PARAMETERS && (
        <div className="row">
          <button className="btn btn-s" type="button" onClick={add}><Icon name="plus" small />Add parameter</button>
        </div>
      )}
    </fieldset>
  );
}
