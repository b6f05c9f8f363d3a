import { Link, useBlocker } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { ActError } from "../../parts/feedback";
import { FormErrors, TextField, detailsByField, sentence } from "../../parts/field";
import { Icon } from "../../parts/icon";
import type { JsonObject } from "../monitors/form/merge_patch";
import { ProviderFields, providerFieldId } from "./provider_fields";
import {
  GROUP, PROVIDER_FIELDS, type ProviderErrors, type ProviderValues, RATE, maskedPointers, providerBody,
} from "./provider_form_values";
import type { ProviderType } from "./provider_queries";
import { TestOutcome, useProviderTest } from "./provider_test";

interface FormProps {
  type: ProviderType;
  values: ProviderValues;
  setValues: (change: (values: ProviderValues) => ProviderValues) => void;
  signed?: boolean;
  check?: (body: JsonObject) => ProviderErrors;
  save: (body: JsonObject) => void;
  saving: boolean;
  error: Error | null;
  clearError: () => void;
  changed: boolean;
  verb: string;
  failure: string;
  cancel: string;
  banner?: ReactNode;
}

function placeOf(type: ProviderType, pointer: string): string {
  const field = PROVIDER_FIELDS[type].find((one) => pointer === `/config/${one.name}` || pointer.startsWith(`/config/${one.name}/`));
  return field && field.kind !== "headers" ? `/config/${field.name}` : pointer;
}

function labelOf(type: ProviderType, pointer: string): string {
  if (pointer === "/name") return "Name";
  if (pointer.startsWith("/config/headers/")) return `Header ${pointer.slice("/config/headers/".length)}`;
  return PROVIDER_FIELDS[type].find((one) => pointer === `/config/${one.name}`)?.label ?? pointer.slice(1);
}

/** The form of a provider, with a test message before it is saved. */
export function ProviderForm(props: FormProps) {
  const { type, values, setValues, signed = false, check, save, saving, error, clearError, changed, verb, failure, cancel, banner } = props;
  const [own, setOwn] = useState<ProviderErrors>(new Map());
  const test = useProviderTest();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changed && current.pathname !== next.pathname && !window.confirm("Leave the form? What you typed is lost."),
    enableBeforeUnload: () => changed,
  });
  const refused = useMemo(() => {
    const found: ProviderErrors = new Map();
    for (const [field, message] of detailsByField(error ?? test.error)) found.set(placeOf(type, field), sentence(message));
    return found;
  }, [error, test.error, type]);
  const errors: ProviderErrors = new Map([...refused, ...own]);
  const change = (update: (old: ProviderValues) => ProviderValues, pointer: string) => {
    setValues(update);
    setOwn((old) => new Map([...old].filter(([one]) => !one.startsWith(pointer))));
    if (refused.has(pointer)) (clearError(), test.error && test.reset());
  };
  const prepare = (): JsonObject | undefined => {
    const { body, errors: wrong } = providerBody(type, values);
    for (const [pointer, message] of check?.(body) ?? []) wrong.set(pointer, message);
    setOwn(wrong);
    clearError();
    return wrong.size ? undefined : body;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (saving) return;
    test.reset();
    const body = prepare();
    if (body) save(body);
  };
  const tryIt = () => {
    if (test.isPending) return;
    const body = prepare();
    if (body) test.mutate({ body: { ...body, type } });
  };
  const masked = maskedPointers(providerBody(type, values).body).length > 0;
  const wrong = [...errors].map(([pointer, message]) => ({
    id: providerFieldId(pointer), text: `${labelOf(type, pointer)}: ${message}`,
  }));
  const number = (key: "groupSeconds" | "ratePerMinute", label: string, hint: string) => (
    <TextField
      id={providerFieldId(`/${key}`)} label={label} name={key} inputMode="numeric" optional value={values[key]}
      error={errors.get(`/${key}`)} hint={hint} onChange={(text) => change((old) => ({ ...old, [key]: text }), `/${key}`)}
    />
  );
  return (
    <form className="form" noValidate onSubmit={submit}>
      {banner}
      {wrong.length > 0 && !banner && (
        <FormErrors title={test.error && !own.size ? "The test was not made" : failure} errors={wrong} />
      )}
      {error && wrong.length === 0 && !banner && <ActError title={failure} error={error} />}
      <TextField
        id={providerFieldId("/name")} label="Name" name="name" value={values.name} maxLength={255} autoComplete="off"
        autoFocus={values.name === ""}
        onChange={(text) => change((old) => ({ ...old, name: text }), "/name")} error={errors.get("/name")}
      />
      <ProviderFields type={type} values={values} errors={errors} signed={signed} change={change} />
      <div className="form-row">
        {type !== "pagerduty" && number(
          "groupSeconds", "Seconds that alerts wait for others", `${GROUP.minimum} to ${GROUP.maximum}. Unless set, 30 for mail and chats.`,
        )}
        {number("ratePerMinute", "Messages a minute, at most", `${RATE.minimum} to ${RATE.maximum}. Unless set, the pace of the type.`)}
      </div>
      <label className="check">
        <input
          type="checkbox" name="enabled" checked={values.enabled}
          onChange={(event) => {
            const enabled = event.target.checked;
            change((old) => ({ ...old, enabled }), "/enabled");
          }}
        />
        <span>Send alerts to this provider</span>
      </label>
      {!(test.error && wrong.length > 0) && <TestOutcome test={test} />}
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={saving} data-pending={saving || undefined}>{verb}</button>
        <button
          className="btn" type="button" aria-disabled={test.isPending || masked} onClick={() => !masked && tryIt()}
          title={masked ? "A test of changes needs the secrets again" : undefined}
        >
          <Icon name="play" />Test
        </button>
        <Link className="btn btn-quiet" to={cancel}>Cancel</Link>
      </div>
    </form>
  );
}
