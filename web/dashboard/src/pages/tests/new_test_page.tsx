import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { take } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { FormErrors } from "../../parts/field";
import { PageHead } from "../../parts/page";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { EnvironmentHelp } from "./environment_help";
import { ScriptField, useScript } from "./script/script_field";
import { TestFields } from "./test_fields";
import { TestCrumbs } from "./test_head";
import { NEW_TEST, type TestValues, bodyOf, bytesOf, errorsOf, fieldsChanged, refusedFields } from "./test_values";
import { startScript } from "./test_words";

function NewTest() {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<TestValues>(NEW_TEST);
  const [tried, setTried] = useState(false);
  const script = useScript();
  const textOf = () => script.editor.current?.text() ?? startScript(values.type);
  useTitle("Create test", project.name);
  const create = useMutation({
    mutationFn: async () => {
      const made = await take(api.POST("/api/tests", { body: { ...bodyOf(values), script: textOf() } }));
      if (values.tags.length > 0) {
        const tags = values.tags.map((id) => ({ id }));
        await take(api.PUT("/api/tests/{id}/tags", { params: { path: { id: made.id } }, body: { tags } }))
          .catch((error: Error) => warn(`The test has no tags. ${error.message}`));
      }
      return made;
    },
    onSuccess: async (made) => {
      void client.invalidateQueries({ queryKey: [key, "tests"] });
      toast({ text: `${made.title} was created.` });
      await navigate({ to: path("tests", made.id), ignoreBlocker: true });
    },
  });
  const changed = !create.isSuccess && (script.changed || fieldsChanged(NEW_TEST, values));
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    setTried(true);
    if (errorsOf(values, bytesOf(textOf())).length === 0) create.mutate();
  };
  const change = (part: Partial<TestValues>) => {
    if (create.error) create.reset();
    setValues((old) => ({ ...old, ...part }));
    // A script that nobody has typed into becomes the start of the other type.
    if (part.type && !script.changed) script.editor.current?.setText(startScript(part.type));
  };
  const refused = refusedFields(create.error);
  const errors = [...(tried ? errorsOf(values, 0) : []), ...refused];
  return (
    <div className="page">
      <TestCrumbs last="Create test" />
      <PageHead title="Create test" lead="A test is one script. Jobs run tests in order, and a test can be executed by itself." />
      <form className="stack g-5" ref={form} noValidate onSubmit={submit}>
        {errors.length > 0 && <FormErrors title="The test was not created" errors={errors} />}
        {create.error && refused.length === 0 && <ActError title="The test was not created" error={create.error} />}
        <div className="split split-half">
          <section className="panel" aria-labelledby="fields-head">
            <div className="panel-head"><h2 id="fields-head">Title, type and tags</h2></div>
            <div className="panel-body form"><TestFields values={values} errors={errors} onChange={change} /></div>
          </section>
          <section className="section" aria-labelledby="script-head">
            <div className="section-head"><h2 id="script-head">Script</h2></div>
            <ScriptField
              script={script} text={startScript(values.type)} type={values.type}
              error={errors.find((one) => one.id === "test-script")?.text} save={() => form.current?.requestSubmit()}
            />
            <EnvironmentHelp type={values.type} insert={(text) => script.editor.current?.insert(text)} />
          </section>
        </div>
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create test</button>
          <Link className="btn" to={path("tests")}>Cancel</Link>
        </div>
      </form>
    </div>
  );
}

export default function NewTestPage() {
  return <NeedsEditor><NewTest /></NeedsEditor>;
}
