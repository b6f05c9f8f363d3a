import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";

/** Reads all lists again that show windows, their updates, or monitors and components in maintenance. */
export function useWindowsChanged(): () => Promise<unknown> {
  const { key } = useProject();
  const client = useQueryClient();
  const parts = ["maintenance", "window-updates", "monitors", "monitor", "status-pages", "usage"];
  return () => Promise.all(parts.map((part) => client.invalidateQueries({ queryKey: [key, part] })));
}

interface Start {
  monitor: { id: string; name: string };
  minutes: number;
  description: string;
}

/** Starts a window of one monitor now. */
export function useStartWindow(onStarted?: () => void) {
  const { api } = useProject();
  const changed = useWindowsChanged();
  return useMutation({
    mutationFn: ({ monitor: { id }, minutes, description }: Start) =>
      take(api.POST("/api/monitors/{id}/maintenance", {
        params: { path: { id } }, body: { minutes, ...(description.trim() ? { description: description.trim() } : {}) },
      })),
    onSuccess: (_, { monitor }) => {
      toast({ text: `${monitor.name} is in maintenance.`, sign: "maintenance", look: "s-maintenance" });
      onStarted?.();
      return changed();
    },
  });
}
