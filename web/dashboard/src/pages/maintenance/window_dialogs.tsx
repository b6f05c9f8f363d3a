import { useMutation, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { useWindowsChanged } from "./use_window_acts";
import { readWindowVersion } from "./window_queries";
import { coverWords, isRecurring } from "./window_states";

interface DialogProps {
  /** A monitor names the window that applies to it only by these. */
  window: { id: string; name: string };
  onClose: () => void;
  onDone?: () => void;
}

/** The window as it is now, with the version that an act depends on. */
function useVersion(id: string, act: string) {
  const { api, key } = useProject();
  return useQuery({
    queryKey: [key, "window-act", act, id], queryFn: ({ signal }) => readWindowVersion(api, id, signal), staleTime: Infinity, gcTime: 0,
  });
}

const isOutdated = (error: Error): boolean => error instanceof ApiError && error.status === 412;

/** Asks before an active window ends early, and says whose alerts that brings back. */
export function EndWindow({ window: { id, name }, onClose, onDone }: DialogProps) {
  const { api } = useProject();
  const changed = useWindowsChanged();
  const found = useVersion(id, "end");
  const end = useMutation({
    mutationFn: (etag: string) =>
      take(api.POST("/api/maintenance-windows/{id}/end", { params: { path: { id }, header: { "If-Match": etag } } })),
    onSuccess: () => {
      toast({ text: `Window ${name} has ended.` });
      onDone?.();
      onClose();
      return changed();
    },
    // The window has another version now, which the dialog shows before the next attempt.
    onError: (error) => isOutdated(error) && found.refetch(),
  });
  const shown = found.data?.window;
  return (
    <Confirm
      title={`End window ${name} now?`} verb="End now" keepWord="Keep window" busy={end.isPending || !found.data}
      error={end.error ?? found.error} onClose={onClose} onConfirm={() => !end.isPending && found.data && end.mutate(found.data.etag)}
    >
      {!shown && !found.error && <p className="muted" role="status">Loading what it covers…</p>}
      {shown && <p>It covers: {coverWords(shown).toLowerCase()}.</p>}
      {shown && (
        <p className="muted">
          Monitors that are still down are checked once more, and a failing check notifies.{" "}
          {isRecurring(shown) ? "The window continues with its next start." : "The window is finished then."}
        </p>
      )}
    </Confirm>
  );
}

/** Asks before a window is deleted. */
export function DeleteWindow({ window: { id, name }, onClose, onDone }: DialogProps) {
  const { api } = useProject();
  const changed = useWindowsChanged();
  const found = useVersion(id, "delete");
  const remove = useMutation({
    mutationFn: (etag: string) =>
      take(api.DELETE("/api/maintenance-windows/{id}", { params: { path: { id }, header: { "If-Match": etag } } })),
    onSuccess: () => {
      toast({ text: `Window ${name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onDone?.();
      onClose();
      return changed();
    },
    onError: (error) => isOutdated(error) && found.refetch(),
  });
  const shown = found.data?.window;
  return (
    <Confirm
      title={`Delete window ${shown?.name ?? name}?`} verb="Delete window" keepWord="Keep window" busy={remove.isPending || !found.data}
      error={remove.error ?? found.error} onClose={onClose}
      onConfirm={() => !remove.isPending && found.data && remove.mutate(found.data.etag)}
    >
      {!shown && !found.error && <p className="muted" role="status">Loading what it covers…</p>}
      {shown && <p>It covers: {coverWords(shown).toLowerCase()}.</p>}
      {shown?.state === "active" && <p>It is active: it ends now, and monitors that are still down are checked once more.</p>}
      {shown && shown.state !== "active" && shown.state !== "finished" && <p>Its coming starts are cancelled, so failures notify again.</p>}
      <p className="muted">Time that it has excluded stays excluded. Monitors themselves stay.</p>
    </Confirm>
  );
}
