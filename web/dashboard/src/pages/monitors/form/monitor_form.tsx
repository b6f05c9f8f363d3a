import { Link, useBlocker } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { ActError } from "../../../parts/feedback";
import { FormErrors as ErrorBanner, detailsByField, sentence } from "../../../parts/field";
import { Icon } from "../../../parts/icon";
import type { MonitorType } from "../monitor_queries";
import { AboutSection, AlertSection, TimingSection } from "./common_sections";
import { fieldsOf, idOf } from "./fields";
import { FormContext } from "./form_parts";
import type { JsonObject } from "./merge_patch";
import { TestPanel, useTest } from "./test_panel";
import { TypeSections } from "./type_sections";
import { type FormErrors, type FormValues, maskedOf, toBody } from "./values";

interface FormProps {
  type: MonitorType;
  values: FormValues;
  setValues: (change: (values: FormValues) => FormValues) => void;
  /** What is wrong with a body besides its fields. */
  check?: (body: JsonObject) => FormErrors;
  save: (body: JsonObject) => void;
  saving: boolean;
  /** The refusal of the last try. */
  error: Error | null;
  clearError: () => void;
  changed: boolean;
  verb: string;
  /** Such as "The monitor was not created". */
  failure: string;
  cancel: string;
  banner?: ReactNode;
}

/** Returns the field of the form for the pointer of a refusal: the pointer itself, or the list that holds it. */
function placeOf(type: MonitorType, pointer: string): string {
  if (pointer === "/frequencyMinutes") return "/frequencySeconds";
  if (fieldsOf(type).some((one) => one.pointer === pointer)) return pointer;
  const within = fieldsOf(type).find((one) => pointer.startsWith(`${one.pointer}/`));
  return within?.pointer ?? pointer;
}

function labelFor(type: MonitorType, pointer: string): string {
  const field = fieldsOf(type).find((one) => one.pointer === pointer);
  if (field) return field.label;
  if (pointer.startsWith("/config/headers/")) return `Header ${pointer.slice("/config/headers/".length)}`;
  const assertion = /^\/config\/assertions\/(\d+)/.exec(pointer);
  if (assertion) return `Assertion ${Number(assertion[1]) + 1}`;
  return pointer.replace(/^\/(?:config|alertConfig)?\/?/, "") || "Monitor";
}

/** The form of a monitor, with a test before it is saved. Input stays whatever the service answers. */
export function MonitorForm(props: FormProps) {
  const { type, values, setValues, check, save, saving, error, clearError, changed, verb, failure, cancel, banner } = props;
  const [own, setOwn] = useState<FormErrors>(new Map());
  const test = useTest();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changed && current.pathname !== next.pathname && !window.confirm("Leave the form? What you typed is lost."),
    enableBeforeUnload: () => changed,
  });
  const refused = useMemo(() => {
    const found: FormErrors = new Map();
    for (const [field, message] of detailsByField(error ?? test.error)) found.set(placeOf(type, field), sentence(message));
    return found;
  }, [error, test.error, type]);
  const errors: FormErrors = new Map([...refused, ...own]);
  const prepare = (): JsonObject | undefined => {
    const { body, errors: wrong } = toBody(type, values);
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
    if (body) test.mutate({ type, body });
  };
  const masked = maskedOf(toBody(type, values).body);
  const wrong = [...errors].map(([pointer, message]) => ({ id: idOf(pointer), text: `${labelFor(type, pointer)}: ${message}` }));
  const change = (update: (old: FormValues) => FormValues, pointer: string) => {
    setValues(update);
    setOwn((old) => new Map([...old].filter(([one]) => !one.startsWith(pointer))));
    if (refused.has(pointer)) (clearError(), test.error && test.reset());
  };
  return (
    <FormContext value={{ type, values, errors, change }}>
      <div className="split split-aside">
        <form className="stack g-6" noValidate onSubmit={submit}>
          {banner}
          {wrong.length > 0 && !banner && (
            <ErrorBanner title={test.error && !own.size ? "The test was not made" : failure} errors={wrong} />
          )}
          {error && wrong.length === 0 && !banner && <ActError title={failure} error={error} />}
          <TypeSections />
          {type !== "heartbeat" && <TimingSection />}
          <AlertSection />
          <AboutSection />
          <div className="form-actions">
            <button className="btn btn-primary" type="submit" aria-disabled={saving} data-pending={saving || undefined}>{verb}</button>
            {type !== "heartbeat" && (
              <button
                className="btn" type="button" aria-disabled={test.isPending || masked.length > 0}
                onClick={() => !masked.length && tryIt()}
              >
                <Icon name="play" />Test
              </button>
            )}
            <Link className="btn btn-quiet" to={cancel}>Cancel</Link>
          </div>
        </form>
        {type !== "heartbeat" && <TestPanel test={test} masked={masked} />}
      </div>
    </FormContext>
  );
}
