import { useMutation } from "@tanstack/react-query";
import { take } from "../../../api/services";
import { Confirm } from "../../../parts/dialog";
import { toast } from "../../../parts/toasts";
import { useProject } from "../../project_context";
import type { Incident } from "../page_queries";
import { usePagesChanged } from "../use_page_acts";

interface DialogProps {
  pageId: string;
  incident: Pick<Incident, "id" | "name">;
  onClose: () => void;
  /** Leaves the page of what was deleted. */
  onDone?: () => Promise<unknown>;
}

/** Asks before an incident leaves the page and its feeds. */
export function DeleteIncident({ pageId, incident: { id, name }, onClose, onDone }: DialogProps) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/status-pages/{id}/incidents/{incidentId}", {
      params: { path: { id: pageId, incidentId: id } },
    })),
    onSuccess: async () => {
      toast({ text: `Incident ${name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      // A page that is still open would ask for what is gone.
      await onDone?.();
      return changed();
    },
  });
  return (
    <Confirm
      title={`Delete incident ${name}?`} verb="Delete incident" keepWord="Keep incident" busy={remove.isPending} error={remove.error}
      onClose={onClose} onConfirm={() => !remove.isPending && remove.mutate()}
    >
      <p>The incident and all of its updates leave the page and its feeds. Nobody is notified.</p>
      <p className="muted">To say that it is over, post an update with the status Resolved instead.</p>
    </Confirm>
  );
}
