import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { ActionMenu } from "../../parts/menu";
import { hasRole, isOver } from "../../parts/states";
import { toast, warn } from "../../parts/toasts";
import { pageAddress } from "../page_address";
import { useProject } from "../project_context";
import { type Run, newKey } from "../project_queries";

/** Cancel while the run is not over, and rerun. A viewer has neither. */
export function RunActions({ run, changed }: { run: Run; changed: () => void }) {
  const { api, path, project } = useProject();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const key = useRef<string>(undefined);
  const cancel = useMutation({
    mutationFn: () => take(api.POST("/api/runs/{id}/cancel", { params: { path: { id: run.id } } })),
    onSuccess: () => {
      setAsking(false);
      const text = run.status === "queued" ? "The run was cancelled." : "The runner stops the run.";
      toast({ text, sign: "cancelled", look: "s-cancelled" });
      changed();
    },
  });
  const rerun = useMutation({
    mutationFn: () =>
      take(api.POST("/api/runs/{id}/rerun", {
        params: { path: { id: run.id }, header: { "Idempotency-Key": (key.current ??= newKey()) } },
      })),
    onSuccess: (made) => navigate({ to: path("runs", made.id) }),
    onError: (error) => warn(`No new run was queued. ${error.message}`),
    onSettled: () => (key.current = undefined),
  });
  if (!hasRole(project.role, "project_editor")) return null;
  const same = () => !rerun.isPending && rerun.mutate();
  const edit = run.jobId && `${pageAddress(path("jobs", run.jobId, "trigger"))}?run=${run.id}`;
  return (
    <>
      {!isOver(run.status) && (
        <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
          <Icon name="stop" />
          Cancel run
        </button>
      )}
      {edit && Object.keys(run.parameters).length > 0
        ? (
          <ActionMenu
            label="Rerun" className="btn"
            entries={[
              { id: "same", icon: "rerun", word: "With the same parameters", act: same },
              { id: "edit", icon: "edit", word: "With other parameters", href: edit },
            ]}
          >
            <Icon name="rerun" />Rerun<Icon name="down" />
          </ActionMenu>
        )
        : (
          <button className="btn" type="button" onClick={same} aria-disabled={rerun.isPending}>
            <Icon name="rerun" />
            Rerun
          </button>
        )}
      {asking && (
        <Confirm
          title={`Cancel this run of ${run.jobName ?? "a single test"}?`} verb="Cancel run" keepWord="Keep running"
          busy={cancel.isPending} error={cancel.error} onClose={() => setAsking(false)}
          onConfirm={() => !cancel.isPending && cancel.mutate()}
        >
          <p className="muted">
            {run.status === "queued"
              ? "The run ends at once and is never executed."
              : "The runner stops its tests. The output so far stays."}
          </p>
        </Confirm>
      )}
    </>
  );
}
