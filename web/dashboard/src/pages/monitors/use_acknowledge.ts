import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { toast, warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import type { Outage } from "./monitor_queries";

/** Acknowledges an outage, which stops its reminders. */
export function useAcknowledge() {
  const { api, key } = useProject();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ monitorId, id }: Pick<Outage, "monitorId" | "id">) =>
      take(api.POST("/api/monitors/{id}/outages/{outageId}/acknowledge", { params: { path: { id: monitorId, outageId: id } } })),
    onSuccess: () => toast({ text: "The outage is acknowledged. Its reminders stop." }),
    onError: (error) => warn(`The outage was not acknowledged. ${error.message}`),
    onSettled: () => Promise.all(["monitor", "outages"].map((part) => client.invalidateQueries({ queryKey: [key, part] }))),
  });
}
