import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { Sign } from "../../parts/icon";
import type { JsonObject } from "../monitors/form/merge_patch";
import { useProject } from "../project_context";
import type { ProviderTest } from "./provider_queries";
import { reasonWords } from "./provider_words";

/** Sends one test message: of a stored provider by its id, or of a body that is not saved. */
export function useProviderTest() {
  const { api, key } = useProject();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id?: string; body?: JsonObject }): Promise<ProviderTest> =>
      id
        ? take(api.POST("/api/notification-providers/{id}/test", { params: { path: { id } } }))
        : take(api.POST("/api/notification-providers/test", { body: body as never })),
    gcTime: 0,
    onSettled: (_, __, { id }) => (id ? client.invalidateQueries({ queryKey: [key, "providers"] }) : undefined),
  });
}

/** What became of the test message. */
export function TestOutcome({ test }: { test: ReturnType<typeof useProviderTest> }) {
  if (test.isPending) return <p className="muted" role="status">A test message is being sent.</p>;
  if (test.error) return <ActError title="The test was not made" error={test.error} />;
  if (!test.data) return null;
  const look = test.data.success ? "s-passed" : "s-failed";
  return (
    <section className={`banner ${look}`} aria-label="Result of the test" aria-live="polite">
      <Sign name={test.data.success ? "passed" : "failed"} look={look} />
      <div className="stack g-1">
        <p className="banner-title">{test.data.success ? "The test message was accepted" : reasonWords(test.data.reason)}</p>
        <p className="small wrap-any">{test.data.message} {!test.data.success && <>(<code>{test.data.reason}</code>)</>}</p>
      </div>
      <div className="actions" />
    </section>
  );
}
