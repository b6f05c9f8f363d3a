import { Link } from "@tanstack/react-router";
import { ActError } from "../../parts/feedback";
import { FormErrors, TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { type PointerErrors, useTestedForm } from "../../parts/use_tested_form";
import type { JsonObject } from "../monitors/form/merge_patch";
import { ProviderFields, providerFieldId } from "./provider_fields";
import {
  GROUP, PROVIDER_FIELDS, type ProviderValues, RATE, maskedPointers, providerBody, providerLabel, standardGroup,
} from "./provider_form_values";
import type { ProviderType } from "./provider_queries";
import { TestOutcome, useProviderTest } from "./provider_test";

interface FormProps {
  type: ProviderType;
  values: ProviderValues;
  setValues: (change: (values: ProviderValues) => ProviderValues) => void;
  signed?: boolean;
  check?: (body: JsonObject) => PointerErrors;
  save: (body: JsonObject) => void;
  saving: boolean;
  error: Error | null;
  clearError: () => void;
  changed: boolean;
  verb: string;
  failure: string;
  cancel: string;
  /** A conflict above the form says what happened. */
  conflict?: boolean;
}

function placeOf(type: ProviderType, pointer: string): string {
  const field = PROVIDER_FIELDS[type].find((one) => pointer === `/config/${one.name}` || pointer.startsWith(`/config/${one.name}/`));
  return field && field.kind !== "headers" ? `/config/${field.name}` : pointer;
}

/** The form of a provider, with a test message before it is saved. */
export function ProviderForm(props: FormProps) {
  const { type, values, setValues, signed = false, check, save, saving, error, clearError, changed, conflict } = props;
  const { verb, failure, cancel } = props;
  const test = useProviderTest();
  const { errors, wrong, isOfTest, change, submit, tryIt } = useTestedForm<ProviderValues, JsonObject>({
    read: () => providerBody(type, values), setValues, check, save, saving, error, clearError, test, changed,
    tryBody: (body) => test.mutate({ body: { ...body, type } }),
    placeOf: (pointer) => placeOf(type, pointer),
    fieldAt: (pointer) => ({ id: providerFieldId(pointer), label: providerLabel(type, pointer) }),
  });
  const masked = maskedPointers(providerBody(type, values).body).length > 0;
  const number = (key: "groupSeconds" | "ratePerMinute", label: string, hint: string) => (
    <TextField
      id={providerFieldId(`/${key}`)} label={label} name={key} inputMode="numeric" optional value={values[key]}
      error={errors.get(`/${key}`)} hint={hint} onChange={(text) => change((old) => ({ ...old, [key]: text }), `/${key}`)}
    />
  );
  return (
    <form className="form" noValidate onSubmit={submit}>
      {wrong.length > 0 && !conflict && <FormErrors title={isOfTest ? "The test was not made" : failure} errors={wrong} />}
      <TextField
        id={providerFieldId("/name")} label="Name" name="name" value={values.name} maxLength={255} autoComplete="off"
        autoFocus={values.name === ""}
        onChange={(text) => change((old) => ({ ...old, name: text }), "/name")} error={errors.get("/name")}
      />
      <ProviderFields type={type} values={values} errors={errors} signed={signed} change={change} />
      <div className="form-row">
        {type !== "pagerduty" && number(
          "groupSeconds", "Seconds that alerts wait for others",
          `They then arrive in one message. ${GROUP.minimum} to ${GROUP.maximum}; unless set, ${standardGroup(type)}.`,
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
      {error && wrong.length === 0 && !conflict && <ActError title={failure} error={error} />}
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
