import { useMutation } from "@tanstack/react-query";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useRef } from "react";
import { ActError } from "../../parts/feedback";
import { FormErrors } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { expectRefusal } from "../../parts/use_refusal_focus";
import { useProject } from "../project_context";
import { newKey } from "../project_queries";
import { useTags } from "../tags/use_tags";
import { ConflictBanner } from "./conflict_banner";
import { EnvironmentHelp } from "./environment_help";
import { jobsUsing } from "./jobs_using";
import { ScriptField } from "./script/script_field";
import { fieldDifferences, scriptDifferences } from "./test_conflict";
import { TestFields } from "./test_fields";
import { TestHead } from "./test_head";
import { TestOutput } from "./test_output";
import { type TestVersion, executeTest } from "./test_queries";
import { valuesOf } from "./test_values";
import { type TestDraft, useTestDraft } from "./use_test_draft";

/** Executes the saved version and names the run in the address. One key until the answer, so a double click makes one run. */
function useExecute(id: string) {
  const { api } = useProject();
  const navigate = useNavigate({ from: "/$org/$project/tests/$testId" });
  const idempotency = useRef<string>(undefined);
  const execution = useMutation({
    mutationFn: () => executeTest(api, id, (idempotency.current ??= newKey())),
    onSettled: () => (idempotency.current = undefined),
  });
  // Whoever has left the page meanwhile stays where they are: these callbacks end with the page.
  const start = () => execution.mutate(undefined, {
    onSuccess: (run) => void navigate({ search: { run: run.id }, replace: true, ignoreBlocker: true, resetScroll: false }),
  });
  return { start, isPending: execution.isPending, error: execution.error };
}

/** Both versions, if somebody else has saved the test meanwhile. */
function DraftConflict({ draft, latest }: { draft: TestDraft; latest: TestVersion }) {
  const tags = useTags();
  const { base, saved, values, script, text, saving } = draft;
  // The banner goes away with the button that was pressed: whoever chose goes on in the script.
  const settled = (act: (latest: TestVersion) => void) => () => {
    act(latest);
    script.editor.current?.focus();
  };
  const places = useMemo(
    () => (script.changed ? scriptDifferences(latest.script, text()) : []), [latest, script.changed, script.version],
  );
  return (
    <ConflictBanner
      savedAt={latest.test.updatedAt} fields={fieldDifferences(saved, valuesOf(latest.test), values, tags.data ?? [])} places={places}
      scriptIsTheirs={!script.changed && latest.script !== base.script} busy={saving}
      takeSaved={({ change, saved: lines }) => script.editor.current?.replaceLines(change.ownFrom, change.ownTo, lines)}
      saveMine={settled(draft.saveMine)} loadSaved={settled(draft.loadSaved)}
    />
  );
}

function Refusals({ draft, execution }: { draft: TestDraft; execution: Error | null }) {
  const { errors, refusal } = draft;
  return (
    <>
      {errors.length > 0 && <FormErrors title="The test was not saved" errors={errors} />}
      {refusal && (
        <ActError title="The test was not saved" error={refusal} details={jobsUsing(refusal).map((job) => `Job ${job.name}`)} />
      )}
      {execution && <ActError title="The test was not executed" error={execution} />}
    </>
  );
}

/** The page of a test for those who may change it: script and output side by side, and the fields below. */
export function EditForm({ first, runId }: { first: TestVersion; runId?: string }) {
  const { id } = first.test;
  const form = useRef<HTMLFormElement>(null);
  const draft = useTestDraft(first);
  const execute = useExecute(id);
  const { base, values, script, changed, errors, theirs } = draft;
  const stopped = draft.saving || execute.isPending || Boolean(theirs);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      changed && current.pathname !== next.pathname && !window.confirm("Leave the test? Your changes are not saved."),
    enableBeforeUnload: () => changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!stopped && changed) draft.send();
  };
  const executeNow = () => {
    if (stopped) return;
    expectRefusal();
    if (changed) draft.send(execute.start);
    else execute.start();
  };
  return (
    <form className="stack g-5" ref={form} noValidate onSubmit={submit}>
      <TestHead
        version={base} changed={changed}
        acts={
          <>
            <button className="btn btn-primary" type="submit" aria-disabled={!changed || stopped}>Save</button>
            <button className="btn" type="button" aria-disabled={stopped} onClick={executeNow}>
              <Icon name="play" />{changed ? "Save and execute" : "Execute"}
            </button>
          </>
        }
      />
      {theirs && <DraftConflict draft={draft} latest={theirs} />}
      <Refusals draft={draft} execution={execute.error} />
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
        <div className="panel-body form"><TestFields values={values} errors={errors} onChange={draft.set} /></div>
      </section>
    </form>
  );
}
