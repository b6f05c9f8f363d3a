import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { jobsUsing } from "./jobs_using";
import type { Test } from "./test_queries";

interface DeleteProps {
  test: Pick<Test, "id" | "title">;
  onDeleted: () => void;
  onClose: () => void;
}

/** Asks before a test is deleted, which nothing restores. A test that jobs use stays, and the dialog names the jobs. */
export function DeleteTest({ test, onDeleted, onClose }: DeleteProps) {
  const { api, key, path } = useProject();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => take(api.DELETE("/api/tests/{id}", { params: { path: { id: test.id } } })),
    onSuccess: () => {
      toast({ text: `${test.title} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      void client.invalidateQueries({ queryKey: [key, "tests"] });
      onDeleted();
    },
  });
  const jobs = jobsUsing(remove.error);
  return (
    <Confirm
      title={`Delete test ${test.title}?`} verb="Delete test" keepWord="Keep test" busy={remove.isPending} error={remove.error}
      onClose={onClose} onConfirm={() => !remove.isPending && remove.mutate()}
    >
      <p className="muted">Its script is gone for good. Runs that executed it stay readable.</p>
      {jobs.length > 0 && (
        <ul className="stack g-1 small">
          {jobs.map((job) => (
            <li key={job.id}><Link to={path("jobs", job.id, "edit")} onClick={onClose}><bdi>{job.name}</bdi></Link></li>
          ))}
        </ul>
      )}
    </Confirm>
  );
}
