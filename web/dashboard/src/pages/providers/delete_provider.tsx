import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Provider, useProviderUsage } from "./provider_queries";

const NAMED = 5;

/** Returns `shop, router and 3 more`. */
export function namesText(names: readonly string[]): string {
  if (names.length <= NAMED) return names.join(", ");
  return `${names.slice(0, NAMED).join(", ")} and ${names.length - NAMED} more`;
}

/** Asks before a provider is deleted, and names what is no longer told anybody. */
export function DeleteProvider({ provider, onDeleted, onClose }: { provider: Provider; onDeleted: () => void; onClose: () => void }) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const usage = useProviderUsage(provider.id);
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/notification-providers/{id}", { params: { path: { id: provider.id } } })),
    onSuccess: () => {
      toast({ text: `Provider ${provider.name} was deleted.` });
      onDeleted();
      void client.invalidateQueries({ queryKey: [key, "providers"] });
    },
  });
  const kinds = [
    ["monitors", usage.data?.monitors], ["jobs", usage.data?.jobs], ["status pages", usage.data?.statusPages],
  ] as const;
  return (
    <Confirm
      title={`Delete provider ${provider.name}?`} verb="Delete provider" keepWord="Keep provider" busy={remove.isPending || !usage.data}
      error={remove.error} onClose={onClose} onConfirm={() => !remove.isPending && usage.data && remove.mutate()}
    >
      {!usage.data && <p className="muted" role="status">Loading what uses it…</p>}
      {kinds.map(([kind, rows]) => rows && rows.length > 0 && (
        <p key={kind}>
          {rows.length === 1 ? `1 ${kind.slice(0, -1)} no longer notifies` : `${rows.length} ${kind} no longer notify`} it:{" "}
          <bdi className="wrap-any">{namesText(rows.map((one) => one.name))}</bdi>.
        </p>
      ))}
      <p className="muted">
        {usage.data && kinds.every(([, rows]) => !rows?.length) && "Nothing uses it. "}
        Alerts that wait for it are not sent. Its history stays.
      </p>
    </Confirm>
  );
}
