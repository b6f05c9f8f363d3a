import { useMutation, useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { useWindowsChanged } from "./use_window_acts";
import { type MaintenanceWindow, readWindowVersion } from "./window_queries";
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

interface ActOptions {
  act: "end" | "delete";
  /** Does it, if the window still has the version that the dialog shows. */
  run: (etag: string) => Promise<unknown>;
  done: Parameters<typeof toast>[0];
}

/** The act of a dialog on the window that it shows. */
function useWindowAct({ window: { id }, onClose, onDone }: DialogProps, { act, run, done }: ActOptions) {
  const changed = useWindowsChanged();
  const found = useVersion(id, act);
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: () => {
      toast(done);
      onDone?.();
      onClose();
      return changed();
    },
    // The window has another version now, which the dialog shows before the next attempt.
    onError: (error) => isOutdated(error) && found.refetch(),
  });
  return {
    shown: found.data?.window,
    confirm: {
      busy: mutation.isPending || !found.data, error: mutation.error ?? found.error, onClose,
      onConfirm: () => void (!mutation.isPending && found.data && mutation.mutate(found.data.etag)),
    },
  };
}

/** What the window covers, once it is read. */
function Covered({ window, failed }: { window?: MaintenanceWindow; failed: boolean }) {
  if (window) return <p>It covers: {coverWords(window).toLowerCase()}.</p>;
  return failed ? null : <p className="muted" role="status">Loading what it covers…</p>;
}

/** Asks before an active window ends early, and says whose alerts that brings back. */
export function EndWindow(props: DialogProps) {
  const { api } = useProject();
  const { id, name } = props.window;
  const { shown, confirm } = useWindowAct(props, {
    act: "end", done: { text: `Window ${name} has ended.` },
    run: (etag) => take(api.POST("/api/maintenance-windows/{id}/end", { params: { path: { id }, header: { "If-Match": etag } } })),
  });
  return (
    <Confirm title={`End window ${name} now?`} verb="End now" keepWord="Keep window" {...confirm}>
      <Covered window={shown} failed={Boolean(confirm.error)} />
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
export function DeleteWindow(props: DialogProps) {
  const { api } = useProject();
  const { id, name } = props.window;
  const { shown, confirm } = useWindowAct(props, {
    act: "delete", done: { text: `Window ${name} was deleted.`, sign: "cancelled", look: "s-cancelled" },
    run: (etag) => take(api.DELETE("/api/maintenance-windows/{id}", { params: { path: { id }, header: { "If-Match": etag } } })),
  });
  return (
    <Confirm title={`Delete window ${shown?.name ?? name}?`} verb="Delete window" keepWord="Keep window" {...confirm}>
      <Covered window={shown} failed={Boolean(confirm.error)} />
      {shown?.state === "active" && <p>It is active: it ends now, and monitors that are still down are checked once more.</p>}
      {shown && shown.state !== "active" && shown.state !== "finished" && <p>Its coming starts are cancelled, so failures notify again.</p>}
      <p className="muted">Time that it has excluded stays excluded. Monitors themselves stay.</p>
    </Confirm>
  );
}
