import { useMemo } from "react";
import { take } from "../../api/services";
import { type CredentialKind, splitSecret } from "../credentials/credential_kind";
import { useProject } from "../project_context";
import { tokenSnippets } from "./token_snippets";

/** CLI tokens of the project. */
export function useTokenKind(): CredentialKind {
  const { api, key, path } = useProject();
  return useMemo(
    () => ({
      thing: "token",
      audited: "cli_token",
      listKey: [key, "tokens"],
      listPath: path("tokens"),
      rotatePath: (id) => path("tokens", id, "rotate"),
      rotateOperation: (id) => `/api/cli-tokens/${id}/rotate`,
      read: (id, headers, signal) => take(api.GET("/api/cli-tokens/{id}", { params: { path: { id } }, headers, signal })),
      rotate: async (id, body) =>
        splitSecret((await take(api.POST("/api/cli-tokens/{id}/rotate", { params: { path: { id } }, body }))).token),
      enable: (id, enabled) => take(api.PATCH("/api/cli-tokens/{id}", { params: { path: { id } }, body: { enabled } })),
      revoke: (id) => take(api.DELETE("/api/cli-tokens/{id}", { params: { path: { id } } })),
      snippets: (secret) => tokenSnippets(location.origin, secret),
    }),
    [api, key, path],
  );
}
