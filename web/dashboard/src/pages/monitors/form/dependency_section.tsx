import { MonitorChoice } from "../monitor_choice";
import { idOf } from "./fields";
import { FormPanel, useForm } from "./form_parts";
import { MOST_PARENTS } from "./values";

const POINTER = "/dependsOn";

/** The monitors that this one needs. While one of them is down, failures of this one notify nobody. */
export function DependencySection({ id }: { id?: string }) {
  const { values, errors, change } = useForm();
  return (
    <FormPanel id="dependencies" title="Dependencies">
      <MonitorChoice
        id={idOf(POINTER)} legend="Depends on" add="Add a monitor" chosen={values.parents} without={id} most={MOST_PARENTS}
        error={errors.get(POINTER)} onChange={(parents) => change((old) => ({ ...old, parents }), POINTER)}
        hint="Such as the router in front of it. While one of them is down, failures of this monitor are recorded but not sent."
      />
    </FormPanel>
  );
}
