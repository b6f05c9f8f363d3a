import { useState } from "react";
import { useScript } from "./script/script_field";
import { rebased } from "./test_conflict";
import type { TestVersion } from "./test_queries";
import { type TestValues, bytesOf, errorsOf, fieldsChanged, refusedFields, valuesOf } from "./test_values";
import { useTestSave } from "./use_test_save";

/** What a person has changed in a test and not saved yet: fields and script, and the version that they start from. */
export function useTestDraft(first: TestVersion) {
  const [base, setBase] = useState(first);
  const [values, setValues] = useState<TestValues>(() => valuesOf(first.test));
  const [tried, setTried] = useState(false);
  const script = useScript();
  const { save, theirs, settle, refusal } = useTestSave({
    id: first.test.id,
    onSaved: (version) => {
      setBase(version);
      script.editor.current?.markSaved(version.script);
    },
  });
  const saved = valuesOf(base.test);
  const changed = script.changed || fieldsChanged(saved, values);
  const text = () => script.editor.current?.text() ?? base.script;
  const rebase = (next: TestVersion, merged: TestValues, keepScript: boolean) => {
    setBase(next);
    setValues(merged);
    if (keepScript) script.editor.current?.markSaved(next.script);
    else script.editor.current?.setText(next.script);
    settle();
  };
  const refused = refusedFields(refusal);
  return {
    base, saved, values, script, changed, text, theirs, saving: save.isPending,
    errors: [...(tried ? errorsOf(values, script.changed ? bytesOf(text()) : 0) : []), ...refused],
    /** A refusal that is about none of the fields. */
    refusal: refused.length === 0 ? refusal : null,
    set: (part: Partial<TestValues>) => {
      if (refusal) save.reset();
      setValues((old) => ({ ...old, ...part }));
    },
    /** Saves what has changed, and calls `then` when all of it is saved. */
    send: (then?: () => void) => {
      setTried(true);
      const now = text();
      if (errorsOf(values, bytesOf(now)).length > 0) return;
      save.mutate({ base, values, script: script.changed ? now : undefined }, { onSuccess: then });
    },
    /** Saves the own changes on top of the version that somebody else has saved. */
    saveMine: (latest: TestVersion) => {
      const merged = rebased(saved, valuesOf(latest.test), values);
      const own = script.changed ? text() : undefined;
      rebase(latest, merged, script.changed);
      save.mutate({ base: latest, values: merged, script: own });
    },
    /** Gives up the own changes. The editor can undo that for the script. */
    loadSaved: (latest: TestVersion) => rebase(latest, valuesOf(latest.test), false),
  };
}

export type TestDraft = ReturnType<typeof useTestDraft>;
