import type { ReactNode } from "react";
import { FieldNote } from "../../../parts/field";
import { Icon } from "../../../parts/icon";
import { SecretInput } from "../../../parts/secret_input";
import { useForm } from "./form_parts";
import { idOf } from "./fields";
import { type AssertionRow, newRow, takesProperty, takesValue } from "./values";

const MOST_HEADERS = 30;
const MOST_ASSERTIONS = 20;
const SECRET_NAME = /^(?:authorization|proxy-authorization|cookie)$|key|token|secret/i;

const SOURCES = [
  ["status", "Status code"], ["header", "Header"], ["body", "Body"], ["json", "JSON"], ["responseTimeMs", "Response time, ms"],
  ["certificateDays", "Days of the certificate"], ["ip", "IP address"],
] as const;
const DNS_SOURCES = [["dnsAnswer", "Answer"], ["responseTimeMs", "Response time, ms"]] as const;
const COMPARISONS = [
  ["equals", "equals"], ["not_equals", "is not"], ["contains", "contains"], ["not_contains", "lacks"], ["matches", "matches"],
  ["not_matches", "no match"], ["less_than", "below"], ["greater_than", "above"], ["exists", "exists"],
  ["not_exists", "does not exist"], ["empty", "is empty"], ["not_empty", "is not empty"],
] as const;
const RESULTS = [["down", "down"], ["degraded", "degraded"]] as const;

export const sourceWord = (source: string): string => [...SOURCES, ...DNS_SOURCES].find(([one]) => one === source)?.[1] ?? source;
export const comparisonWord = (comparison: string): string => COMPARISONS.find(([one]) => one === comparison)?.[1] ?? comparison;

interface PickProps {
  id: string;
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
  wide?: boolean;
}

function Pick({ id, label, value, options, onChange, wide }: PickProps) {
  return (
    <>
      <label className="vh" htmlFor={id}>{label}</label>
      <span className={wide ? "select-box span-2" : "select-box"}>
        <select className="select" id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([key, word]) => <option key={key} value={key}>{word}</option>)}
        </select>
        <Icon name="down" />
      </span>
    </>
  );
}

function RemoveButton({ label, remove }: { label: string; remove: () => void }) {
  return (
    <button className="btn btn-s btn-quiet btn-icon" type="button" aria-label={label} onClick={remove}><Icon name="x" /></button>
  );
}

const Errors = ({ errors }: { errors: readonly (readonly [string, string])[] }): ReactNode =>
  errors.map(([pointer, error]) => <FieldNote key={pointer} id={`${idOf(pointer)}-note`} error={error} />);

/** Headers of the request. */
export function Headers() {
  const { values, errors, change } = useForm();
  const pointer = "/config/headers";
  const set = (id: number, part: { name?: string; value?: string }) => change(
    (old) => ({ ...old, headers: old.headers.map((row) => (row.id === id ? { ...row, ...part } : row)) }), pointer,
  );
  const add = () => change((old) => ({ ...old, headers: [...old.headers, { id: newRow(), name: "", value: "" }] }), pointer);
  const remove = (id: number) => change((old) => ({ ...old, headers: old.headers.filter((row) => row.id !== id) }), pointer);
  return (
    <fieldset className="stack g-2" id={idOf(pointer)} tabIndex={-1}>
      <legend className="label">Headers</legend>
      {values.headers.length > 0 && (
        <ul className="form-list">
          {values.headers.map(({ id, name, value }, at) => {
            const inputId = name ? idOf(`${pointer}/${name}`) : `header-value-${id}`;
            return (
              <li key={id}>
                <label className="vh" htmlFor={`header-${id}`}>Name of header {at + 1}</label>
                <input
                  className="input input-mono" id={`header-${id}`} value={name} maxLength={64} autoComplete="off" spellCheck={false}
                  onChange={(event) => set(id, { name: event.target.value })}
                />
                {SECRET_NAME.test(name)
                  ? (
                    <SecretInput
                      id={inputId} label={`Value of header ${at + 1}`} hideLabel value={value}
                      onChange={(text) => set(id, { value: text })}
                    />
                  )
                  : (
                    <>
                      <label className="vh" htmlFor={inputId}>Value of header {at + 1}</label>
                      <input
                        className="input input-mono" id={inputId} value={value} autoComplete="off" spellCheck={false}
                        onChange={(event) => set(id, { value: event.target.value })}
                      />
                    </>
                  )}
                <RemoveButton label={`Remove header ${name || at + 1}`} remove={() => remove(id)} />
              </li>
            );
          })}
        </ul>
      )}
      <Errors errors={[...errors].filter(([one]) => one.startsWith(pointer))} />
      {values.headers.length < MOST_HEADERS && (
        <div><button className="btn btn-s" type="button" onClick={add}><Icon name="plus" small />Add header</button></div>
      )}
      <p className="hint">
        Values of headers such as <code>X-Api-Key</code> and <code>Authorization</code> are stored encrypted and shown masked.
      </p>
    </fieldset>
  );
}

function Assertion({ row, at, dns }: { row: AssertionRow; at: number; dns: boolean }) {
  const { change } = useForm();
  const pointer = `/config/assertions/${at}`;
  const set = (part: Partial<AssertionRow>) => change(
    (old) => ({ ...old, assertions: old.assertions.map((one) => (one.id === row.id ? { ...one, ...part } : one)) }), pointer,
  );
  const number = at + 1;
  const property = takesProperty(row.source);
  return (
    <li>
      <Pick
        id={idOf(pointer)} label={`Source ${number}`} value={row.source} options={dns ? DNS_SOURCES : SOURCES} wide={!property}
        onChange={(source) => set({ source })}
      />
      {property && (
        <>
          <label className="vh" htmlFor={idOf(`${pointer}/property`)}>{row.source === "json" ? "Path" : "Header"} {number}</label>
          <input
            className="input input-mono" id={idOf(`${pointer}/property`)} value={row.property} autoComplete="off" spellCheck={false}
            placeholder={row.source === "json" ? "$.status" : "Content-Type"} onChange={(event) => set({ property: event.target.value })}
          />
        </>
      )}
      <Pick
        id={`comparison-${row.id}`} label={`Comparison ${number}`} value={row.comparison} options={COMPARISONS}
        wide={!takesValue(row.comparison)} onChange={(comparison) => set({ comparison })}
      />
      {takesValue(row.comparison) && (
        <>
          <label className="vh" htmlFor={idOf(`${pointer}/expected`)}>Expected value {number}</label>
          <input
            className="input input-mono" id={idOf(`${pointer}/expected`)} value={row.expected} autoComplete="off" spellCheck={false}
            onChange={(event) => set({ expected: event.target.value })}
          />
        </>
      )}
      <Pick
        id={`result-${row.id}`} label={`Result if assertion ${number} fails`} value={row.onFail} options={RESULTS}
        onChange={(onFail) => set({ onFail })}
      />
      <RemoveButton
        label={`Remove assertion ${number}`}
        remove={() => change((old) => ({ ...old, assertions: old.assertions.filter((one) => one.id !== row.id) }), pointer)}
      />
    </li>
  );
}

/** Conditions of a good answer. */
export function Assertions() {
  const { type, values, errors, change } = useForm();
  const dns = type === "dns";
  const add = () => change((old) => ({
    ...old,
    assertions: [
      ...old.assertions,
      {
        id: newRow(), source: dns ? "dnsAnswer" : "status", property: "", comparison: dns ? "contains" : "equals", expected: "",
        onFail: "down",
      },
    ],
  }), "/config/assertions");
  return (
    <div className="stack g-3" id={idOf("/config/assertions")} tabIndex={-1}>
      {values.assertions.length > 0 && (
        <ol className="form-list form-grid">
          {values.assertions.map((row, at) => <Assertion key={row.id} row={row} at={at} dns={dns} />)}
        </ol>
      )}
      <Errors errors={[...errors].filter(([one]) => one.startsWith("/config/assertions"))} />
      {values.assertions.length === 0 && (
        <p className="muted">
          {dns ? "Without assertions any answer with the expected code is good." : "Without assertions the status code alone decides."}
        </p>
      )}
      {values.assertions.length < MOST_ASSERTIONS && (
        <div><button className="btn btn-s" type="button" onClick={add}><Icon name="plus" small />Add assertion</button></div>
      )}
    </div>
  );
}
