import { useMutation } from "@tanstack/react-query";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";

interface DeleteProps {
  monitor: Monitor;
  onDeleted: () => void;
  onClose: () => void;
}

/** Asks before a monitor is deleted. */
export function DeleteMonitor({ monitor, onDeleted, onClose }: DeleteProps) {
  const { api } = useProject();
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/monitors/{id}", { params: { path: { id: monitor.id } } })),
    onSuccess: () => {
      toast({ text: `Monitor ${monitor.name} was deleted.` });
      onDeleted();
    },
  });
  return (
    <Confirm
      title={`Delete monitor ${monitor.name}?`} verb="Delete monitor" keepWord="Keep monitor" busy={remove.isPending}
      error={remove.error} onClose={onClose} onConfirm={() => !remove.isPending && remove.mutate()}
    >
      <p className="muted">
        {monitor.type === "heartbeat" ? "Its address takes no more pings." : "It is no longer checked."}{" "}
        {monitor.openOutageId && "Its open outage ends, and the providers that were notified learn of that. "}
        Its history stays, and you can restore it for some time among the deleted monitors.
      </p>
    </Confirm>
  );
}
