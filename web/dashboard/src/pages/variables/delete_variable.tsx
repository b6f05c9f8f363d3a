import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type Variable, readUsers, readVariable } from "./variable_queries";

function usersText({ rows, more }: { rows: readonly { name: string }[]; more: boolean }): string {
  const names = rows.map((one) => one.name).join(", ");
  if (rows.length === 0) return "";
  if (rows.length === 1 && !more) return `1 monitor refers to it: ${names}.`;
  return `${rows.length}${more ? " or more" : ""} monitors refer to it: ${names}.`;
}

/** Asks before a variable is deleted, and names the monitors whose settings show that they need it. */
export function DeleteVariable({ variable, onClose }: { variable: Variable; onClose: () => void }) {
  const { api, key } = useProject();
  const client = useQueryClient();
  const found = useQuery({
    queryKey: [key, "variable-delete", variable.id], staleTime: Infinity, gcTime: 0,
    queryFn: async ({ signal }) => {
      const version = await readVariable(api, variable.id, signal);
      return { ...version, users: await readUsers(api, version.variable.key, signal) };
    },
  });
  const remove = useMutation({
    mutationFn: (etag: string) =>
      take(api.DELETE("/api/variables/{id}", { params: { path: { id: variable.id }, header: { "If-Match": etag } } })),
    onSuccess: () => {
      toast({ text: `Variable ${variable.key} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      return client.invalidateQueries({ queryKey: [key, "variables"] });
    },
    // The variable has another version now, which the dialog shows before the next attempt.
    onError: (error) => error instanceof ApiError && error.status === 412 && found.refetch(),
  });
  const users = found.data?.users;
  return (
    <Confirm
      title={`Delete variable ${found.data?.variable.key ?? variable.key}?`} verb="Delete variable" keepWord="Keep variable"
      busy={remove.isPending || !found.data} error={remove.error ?? found.error} onClose={onClose}
      onConfirm={() => !remove.isPending && found.data && remove.mutate(found.data.etag)}
    >
      {!users && !found.error && <p className="muted" role="status">Loading what uses it…</p>}
      {users && users.rows.length > 0 && <p><bdi className="wrap-any">{usersText(users)}</bdi> Their checks end in an error without it.</p>}
      <p className="muted">
        {users?.rows.length === 0 && "No monitor shows a reference to it. "}
        The service does not know which scripts and masked fields read it. Scripts that start from now on no longer see it, and the value
        cannot be restored.
      </p>
    </Confirm>
  );
}
