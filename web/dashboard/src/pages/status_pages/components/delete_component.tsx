import { useMutation } from "@tanstack/react-query";
import { take } from "../../../api/services";
import { Confirm } from "../../../parts/dialog";
import { toast } from "../../../parts/toasts";
import { useProject } from "../../project_context";
import type { PageComponent, StatusPage } from "../page_queries";
import { usePagesChanged } from "../use_page_acts";

interface DialogProps {
  page: Pick<StatusPage, "id" | "name">;
  component: Pick<PageComponent, "id" | "name">;
  onClose: () => void;
  /** Leaves the page of what was deleted. */
  onDone?: () => Promise<unknown>;
}

/** Asks before a component leaves the page. */
export function DeleteComponent({ page, component: { id, name }, onClose, onDone }: DialogProps) {
  const { api } = useProject();
  const changed = usePagesChanged();
  const remove = useMutation({
    mutationFn: () =>
      take(api.DELETE("/api/status-pages/{id}/components/{componentId}", { params: { path: { id: page.id, componentId: id } } })),
    onSuccess: async () => {
      toast({ text: `Component ${name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      // A page that is still open would ask for what is gone.
      await onDone?.();
      return changed();
    },
  });
  return (
    <Confirm
      title={`Delete component ${name}?`} verb="Delete component" keepWord="Keep component" busy={remove.isPending} error={remove.error}
      onClose={onClose} onConfirm={() => !remove.isPending && remove.mutate()}
    >
      <p>It leaves {page.name} with its bars of past days, and incidents lose it.</p>
      <p className="muted">Its monitors stay.</p>
    </Confirm>
  );
}
