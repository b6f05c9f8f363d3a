import { useMemo } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { type CredentialKind, splitSecret } from "../credentials/credential_kind";
import { useProject } from "../project_context";
import { readTriggerKeys } from "../project_queries";
import { keySnippets } from "./key_snippets";

const ROUTE = "/api/jobs/{id}/trigger-keys/{keyId}";

/** Trigger keys of one job. */
export function useKeyKind(jobId: string): CredentialKind {
  const { api, key, path } = useProject();
  return useMemo(() => {
    const params = (keyId: string) => ({ path: { id: jobId, keyId } });
    return {
      thing: "trigger key",
      audited: "trigger_key",
      listKey: [key, "trigger-keys", jobId],
      listPath: path("jobs", jobId, "keys"),
      rotatePath: (id) => path("jobs", jobId, "keys", id, "rotate"),
      rotateOperation: (id) => `/api/jobs/${jobId}/trigger-keys/${id}/rotate`,
      read: async (id, headers, signal) => {
        const found = (await readTriggerKeys(api, jobId, headers, signal)).rows.find((one) => one.id === id);
        if (!found) throw new ApiError(404, "not_found", "The job has no such key.", "");
        return found;
      },
      rotate: async (id, body) => splitSecret((await take(api.POST(`${ROUTE}/rotate`, { params: params(id), body }))).triggerKey),
      enable: (id, enabled) => take(api.PATCH(ROUTE, { params: params(id), body: { enabled } })),
      revoke: (id) => take(api.DELETE(ROUTE, { params: params(id) })),
      snippets: (secret) => keySnippets(location.origin, jobId, secret),
    };
  }, [api, key, path, jobId]);
}
