import { useMutation } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { ActError } from "../../parts/feedback";
import { FormErrors } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { useProject } from "../project_context";
import { newKey } from "../project_queries";
import { ConflictBanner } from "./conflict_banner";
import { EnvironmentHelp } from "./environment_help";
import { jobsUsing } from "./jobs_using";
import { ScriptField, useScript } from "./script/script_field";
import { fieldDifferences, rebased, scriptDifferences } from "./test_conflict";
import { TestFields, useTags } from "./test_fields";
import { TestHead } from "./test_head";
import { TestOutput } from "./test_output";
import { type TestVersion, executeTest } from "./test_queries";
import { type TestValues, bytesOf, errorsOf, fieldsChanged, refusedFields, valuesOf } from "./test_values";
import { useTestSave } from "./use_test_save";

const jobNames = (error: Error): string[] => jobsUsing(error).map((job) => `Job ${job.name}`);

/** Executes the saved version and names the run in the address. One key until the answer, so a double click makes one run. */
export function useExecute(id: string) {
  const { api } = useProject();
  const navigate = useNavigate({ from: "/$org/$project/tests/$testId" });
  const idempotency = useRef<string>(undefined);
  return useMutation({
    mutationFn: () => executeTest(api, id, (idempotency.current ??= newKey())),
    onSuccess: (run) => navigate({ search: { run: run.id }, replace: true, ignoreBlocker: true, resetScroll: false }),
    onSettled: () => (idempotency.current = undefined),
  });
}

/** The page of a test for those who may change it: script and output side by side, and the fields below. */
export function EditForm({ first, runId }: { first: TestVersion; runId?: string }) {
  const [base, setBase] = useState(first);
  const [values, setValues] = useState<TestValues>(() => valuesOf(first.test));
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const script = useScript();
  const tags = useTags();
  const { id } = base.test;
  const execute = useExecute(id);
  const { save, theirs, settle, refusal } = useTestSave({
    id,
    onSaved: (version) => {
      setBase(version);
      script.editor.current?.markSaved(version.script);
    },
  });
  const saved = valuesOf(base.test);
  const changed = script.changed || fieldsChanged(saved, values);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changed && current.pathname !== next.pathname && !window.confirm("Leave the test? Your changes are not saved."),
    enableBeforeUnload: () => changed,
  });
  const textOf = () => script.editor.current?.text() ?? base.script;
  const busy = save.isPending || execute.isPending;
  /** Saves what has changed; then, if asked, executes what is saved. */
  const submit = (then?: () => void) => {
    if (busy || theirs) return;
    if (!changed) return then?.();
    setTried(true);
    const text = textOf();
    if (errorsOf(values, bytesOf(text)).length > 0) return;
    save.mutate({ base, values, script: script.changed ? text : undefined }, { onSuccess: then });
  };
  const executeNow = () => submit(() => execute.mutate());
  const rebase = (next: TestVersion, merged: TestValues, keepScript: boolean) => {
    setBase(next);
    setValues(merged);
    if (keepScript) script.editor.current?.markSaved(next.script);
    else script.editor.current?.setText(next.script);
    settle();
  };
  const places = useMemo(
    () => (theirs && script.changed ? scriptDifferences(theirs.script, textOf()) : []), [theirs, script.changed, script.version],
  );
  const refused = refusedFields(refusal);
  const errors = [...(tried ? errorsOf(values, script.changed ? bytesOf(textOf()) : 0) : []), ...refused];
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="stack g-5" ref={form} noValidate onSubmit={send}>
      <TestHead
        version={base} changed={changed}
        acts={
          <>
            <button className="btn btn-primary" type="submit" aria-disabled={!changed || busy || Boolean(theirs)}>Save</button>
            <button className="btn" type="button" aria-disabled={busy || Boolean(theirs)} onClick={executeNow}>
              <Icon name="play" />{changed ? "Save and execute" : "Execute"}
            </button>
          </>
        }
      />
      {theirs && (
        <ConflictBanner
          savedAt={theirs.test.updatedAt} fields={fieldDifferences(saved, valuesOf(theirs.test), values, tags.data ?? [])}
          places={places} scriptIsTheirs={!script.changed && theirs.script !== base.script} busy={busy}
          takeSaved={({ change, saved: lines }) => script.editor.current?.replaceLines(change.ownFrom, change.ownTo, lines)}
          saveMine={() => {
            const merged = rebased(saved, valuesOf(theirs.test), values);
            const own = script.changed ? textOf() : undefined;
            rebase(theirs, merged, script.changed);
            save.mutate({ base: theirs, values: merged, script: own });
          }}
          loadSaved={() => rebase(theirs, valuesOf(theirs.test), false)}
        />
      )}
      {errors.length > 0 && <FormErrors title="The test was not saved" errors={errors} />}
      {refusal && refused.length === 0 && (
        <ActError title="The test was not saved" error={refusal} details={jobNames(refusal)} />
      )}
      {execute.error && <ActError title="The test was not executed" error={execute.error} />}
      <div className="split split-half">
        <section className="section" aria-labelledby="script-head">
          <div className="section-head">
            <h2 id="script-head">Script</h2><span className="as-of">{changed ? "Unsaved changes" : "Saved"}</span>
          </div>
          <ScriptField
            script={script} text={base.script} type={values.type} error={errors.find((one) => one.id === "test-script")?.text}
            save={() => form.current?.requestSubmit()} execute={executeNow}
          />
          <EnvironmentHelp type={values.type} insert={(text) => script.editor.current?.insert(text)} />
        </section>
        <TestOutput testId={id} runId={runId} savedAt={base.test.updatedAt} executes />
      </div>
      <section className="panel" aria-labelledby="fields-head">
        <div className="panel-head"><h2 id="fields-head">Title, type and tags</h2></div>
        <div className="panel-body form">
          <TestFields
            values={values} errors={errors}
            onChange={(part) => (refusal && save.reset(), setValues((old) => ({ ...old, ...part })))}
          />
        </div>
      </section>
    </form>
  );
}
