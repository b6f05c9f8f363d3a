import { Link } from "@tanstack/react-router";
import { ActError } from "../../../parts/feedback";
import { FormErrors } from "../../../parts/field";
import { Icon } from "../../../parts/icon";
import { type PointerErrors, useTestedForm } from "../../../parts/use_tested_form";
import type { MonitorType } from "../monitor_queries";
import { AboutSection, AlertSection, TimingSection } from "./common_sections";
import { DependencySection } from "./dependency_section";
import { idOf, labelAt, placeOf } from "./fields";
import { FormContext } from "./form_parts";
import type { JsonObject } from "./merge_patch";
import { TestPanel, useTest } from "./test_panel";
import { TypeSections } from "./type_sections";
import { type FormValues, maskedOf, toBody } from "./values";

interface FormProps {
  /** The id of a stored monitor, which cannot need itself. */
  id?: string;
  type: MonitorType;
  values: FormValues;
  setValues: (change: (values: FormValues) => FormValues) => void;
  /** What is wrong with a body besides its fields. */
  check?: (body: JsonObject) => PointerErrors;
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
  /** A conflict above the form says what happened. */
  conflict?: boolean;
}

/** The form of a monitor, with a test before it is saved. Input stays whatever the service answers. */
export function MonitorForm(props: FormProps) {
  const { id, type, values, setValues, check, save, saving, error, clearError, changed, verb, failure, cancel, conflict } = props;
  const test = useTest();
  const { errors, wrong, isOfTest, change, submit, tryIt } = useTestedForm<FormValues, JsonObject>({
    read: () => toBody(type, values), setValues, check, save, saving, error, clearError, test, changed,
    isUntested: (pointer) => /^\/(?:name|description|alertConfig)(?:\/|$)/.test(pointer),
    tryBody: (body) => test.mutate({ type, body }),
    placeOf: (pointer) => placeOf(type, pointer), fieldAt: (pointer) => ({ id: idOf(pointer), label: labelAt(type, pointer) }),
  });
  const masked = maskedOf(toBody(type, values).body);
  return (
    <FormContext value={{ type, values, errors, change }}>
      <div className="split split-aside">
        <form className="stack g-6" noValidate onSubmit={submit}>
          {wrong.length > 0 && !conflict && <FormErrors title={isOfTest ? "The test was not made" : failure} errors={wrong} />}
          <TypeSections />
          {type !== "heartbeat" && <TimingSection />}
          <AlertSection />
          <DependencySection id={id} />
          <AboutSection />
          {error && wrong.length === 0 && !conflict && <ActError title={failure} error={error} />}
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
