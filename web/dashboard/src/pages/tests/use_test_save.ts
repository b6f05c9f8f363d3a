import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PublicClient } from "../../../../api/client";
import { ApiError } from "../../api/errors";
import { takeWithHeaders } from "../../api/services";
import { changesBetween } from "../../parts/differences";
import { toast, warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Test, type TestVersion, readVersion } from "./test_queries";
import { type TestValues, bodyOf, sameTags, valuesOf } from "./test_values";

/** What a save sets, compared with the version that it starts from. */
export interface Draft {
  base: TestVersion;
  values: TestValues;
  /** Absent if the script has not changed. */
  script?: string;
}

async function saveBody(api: PublicClient, { base, values, script }: Draft): Promise<TestVersion> {
  const body = { ...changesBetween(bodyOf(valuesOf(base.test)), bodyOf(values)), ...(script === undefined ? {} : { script }) };
  if (Object.keys(body).length === 0) return base;
  const { data, headers } = await takeWithHeaders<Test>(api.PATCH("/api/tests/{id}", {
    params: { path: { id: base.test.id }, header: { "If-Match": base.etag } }, body,
  }));
  return { test: data, script: script ?? base.script, etag: headers.get("ETag") ?? "*" };
}

/** Saves the tags under the ETag of the saved body, which is of the same version. */
async function saveTags(api: PublicClient, saved: TestVersion, values: TestValues): Promise<TestVersion> {
  if (sameTags(valuesOf(saved.test), values)) return saved;
  const { data, headers } = await takeWithHeaders<Pick<Test, "tags">>(api.PUT("/api/tests/{id}/tags", {
    params: { path: { id: saved.test.id }, header: { "If-Match": saved.etag } }, body: { tags: values.tags.map((id) => ({ id })) },
  }));
  return { ...saved, test: { ...saved.test, tags: data.tags }, etag: headers.get("ETag") ?? "*" };
}

interface SaveOptions {
  id: string;
  /** A version is saved: the next edit starts from it. `script` is what was sent. */
  onSaved: (version: TestVersion) => void;
}

/** Saves drafts of a test. After a conflict `theirs` has the version that somebody else has saved. */
export function useTestSave({ id, onSaved }: SaveOptions) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const [theirs, setTheirs] = useState<TestVersion>();
  const save = useMutation({
    mutationFn: async (draft: Draft) => {
      const saved = await saveBody(api, draft);
      onSaved(saved);
      const whole = await saveTags(api, saved, draft.values);
      if (whole !== saved) onSaved(whole);
      return whole;
    },
    onSuccess: ({ test }) => {
      toast({ text: `${test.title} was saved.` });
      void client.invalidateQueries({ queryKey: [key, "tests"] });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await readVersion(api, id).then(setTheirs, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const settle = () => {
    setTheirs(undefined);
    save.reset();
  };
  const refusal = save.error instanceof ApiError && save.error.status === 412 ? null : save.error;
  return { save, theirs, settle, refusal };
}
