import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../../api/services";
import { Confirm } from "../../../parts/dialog";
import { toast } from "../../../parts/toasts";
import { useProject } from "../../project_context";
import type { Job } from "../../project_queries";

/** The act that ends a job, with what stays of it. */
export function DeleteJob({ job }: { job: Job }) {
  const { api, key, path } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/jobs/{id}", { params: { path: { id: job.id } } })),
    onSuccess: async () => {
      toast({ text: `${job.name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      await navigate({ to: path("jobs"), ignoreBlocker: true, replace: true });
      client.removeQueries({ queryKey: [key, "job", job.id] });
      void client.invalidateQueries({ queryKey: [key, "jobs"] });
    },
  });
  return (
    <section className="section" aria-labelledby="delete-head">
      <h2 id="delete-head">Delete</h2>
      <ul className="danger-zone">
        <li>
          <div>
            <p className="medium">Delete this job</p>
            <p>Its schedule and trigger keys end at once. Its runs and tests stay.</p>
          </div>
          <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => (remove.reset(), setAsking(true))}>
            Delete job
          </button>
        </li>
      </ul>
      {asking && (
        <Confirm
          title={`Delete job ${job.name}?`} verb="Delete job" keepWord="Keep job" busy={remove.isPending} error={remove.error}
          onClose={() => setAsking(false)} onConfirm={() => !remove.isPending && remove.mutate()}
        >
          <p className="muted">
            Pipelines that trigger it get an error from then on, and its schedule ends. Its runs stay readable, and its tests stay for
            other jobs.
          </p>
        </Confirm>
      )}
    </section>
  );
}
