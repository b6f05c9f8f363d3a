import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { toast, warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import type { Monitor } from "./monitor_queries";
import { monitorState } from "./monitor_states";

export type Act = "check" | "pause" | "resume" | "restore" | "unmute";

// The service makes a requested check within about a second.
const CHECK_WAIT = 10;

interface MonitorActs {
  act: (act: Act, monitor: Monitor) => void;
  mute: (monitor: Monitor, until: Date) => void;
  /** True while an act is under way. */
  busy: boolean;
  changed: () => Promise<unknown>;
}

/** What people do with monitors, in lists and on the page of one. Each act is confirmed by a toast. */
export function useMonitorActs(): MonitorActs {
  const { api, key } = useProject();
  const client = useQueryClient();
  const changed = () =>
    Promise.all(["monitors", "monitor"].map((part) => client.invalidateQueries({ queryKey: [key, part] })));
  const run = useMutation({
    mutationFn: async ({ act, monitor: { id, name } }: { act: Act; monitor: Monitor }): Promise<string> => {
      const params = { path: { id } };
      if (act === "check") {
        const { results } = await take(api.POST("/api/monitors/{id}/check", { params: { ...params, query: { wait: CHECK_WAIT } } }));
        const result = results[0];
        return result ? `${name} was checked: ${monitorState(result.status).word.toLowerCase()}.` : `${name} will be checked.`;
      }
      if (act === "pause") {
        await take(api.POST("/api/monitors/{id}/pause", { params }));
        return `${name} is paused.`;
      }
      if (act === "resume") {
        await take(api.POST("/api/monitors/{id}/resume", { params }));
        return `${name} is resumed.`;
      }
      if (act === "restore") {
        await take(api.POST("/api/monitors/{id}/restore", { params }));
        return `${name} is restored and paused. Resume it to check it again.`;
      }
      await take(api.PATCH("/api/monitors/{id}", { params, body: { mutedUntil: null } }));
      return `${name} sends alerts again.`;
    },
    onSuccess: (text) => (toast({ text }), changed()),
    onError: (error, { monitor }) => warn(`${monitor.name} was not changed. ${error.message}`),
  });
  const mute = useMutation({
    mutationFn: ({ monitor, until }: { monitor: Monitor; until: Date }) =>
      take(api.PATCH("/api/monitors/{id}", { params: { path: { id: monitor.id } }, body: { mutedUntil: until.toISOString() } })),
    onSuccess: (_, { monitor }) => (toast({ text: `${monitor.name} is muted.` }), changed()),
    onError: (error, { monitor }) => warn(`${monitor.name} was not muted. ${error.message}`),
  });
  return {
    act: (act, monitor) => !run.isPending && run.mutate({ act, monitor }),
    mute: (monitor, until) => !mute.isPending && mute.mutate({ monitor, until }),
    busy: run.isPending || mute.isPending,
    changed,
  };
}
