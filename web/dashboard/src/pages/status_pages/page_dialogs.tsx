import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { type StatusPage, readPageVersion } from "./page_queries";
import { shownAddress } from "./page_states";
import { usePagesChanged, usePublish } from "./use_page_acts";

interface DialogProps {
  page: StatusPage;
  onClose: () => void;
  /** Leaves the page of what was deleted. */
  onDone?: () => Promise<unknown>;
}

/** Asks before visitors lose the page. */
export function ArchivePage({ page, onClose }: DialogProps) {
  const publish = usePublish();
  return (
    <Confirm
      title={`Archive status page ${page.name}?`} verb="Archive page" keepWord="Keep page" busy={publish.isPending} error={publish.error}
      onClose={onClose} onConfirm={() => !publish.isPending && publish.mutate({ page, status: "archived" }, { onSuccess: onClose })}
    >
      <p><bdi>{shownAddress(page)}</bdi> and its feeds answer 404 within two seconds.</p>
      <p className="muted">Components, incidents and subscribers stay, and you can publish the page again.</p>
    </Confirm>
  );
}

const isOutdated = (error: Error): boolean => error instanceof ApiError && error.status === 412;

/** Asks before a page is deleted with all that it holds. */
export function DeletePage({ page: { id, name }, onClose, onDone }: DialogProps) {
  const { api, key } = useProject();
  const changed = usePagesChanged();
  const found = useQuery({
    queryKey: [key, "status-page-delete", id], queryFn: ({ signal }) => readPageVersion(api, id, signal), staleTime: Infinity, gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: (etag: string) =>
      take(api.DELETE("/api/status-pages/{id}", { params: { path: { id }, header: { "If-Match": etag } } })),
    onSuccess: async () => {
      toast({ text: `Status page ${name} was deleted.`, sign: "cancelled", look: "s-cancelled" });
      onClose();
      // A page that is still open would ask for what is gone.
      await onDone?.();
      return changed();
    },
    // The page has another version now, which the dialog shows before the next attempt.
    onError: (error) => isOutdated(error) && found.refetch(),
  });
  const shown = found.data?.thing;
  return (
    <Confirm
      title={`Delete status page ${shown?.name ?? name}?`} verb="Delete page" keepWord="Keep page" busy={remove.isPending || !found.data}
      error={remove.error ?? found.error} onClose={onClose}
      onConfirm={() => !remove.isPending && found.data && remove.mutate(found.data.etag)}
    >
      {!shown && !found.error && <p className="muted" role="status">Loading the page…</p>}
      {shown && <p>Its components, incidents and subscribers are deleted too. Nobody can bring them back.</p>}
      <p className="muted">Monitors stay. The addresses of the page are kept for this project for 90 days.</p>
    </Confirm>
  );
}

/** The act that ends a page, last on its settings. */
export function DeletePageZone({ page }: { page: StatusPage }) {
  const { path } = useProject();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <section className="section" aria-labelledby="delete-head">
      <h2 id="delete-head">Delete</h2>
      <ul className="danger-zone">
        <li>
          <div>
            <p className="medium">Delete this status page</p>
            <p>Its components, incidents and subscribers end with it. Monitors stay.</p>
          </div>
          <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
            Delete status page
          </button>
        </li>
      </ul>
      {asking && (
        <DeletePage
          page={page} onClose={() => setAsking(false)}
          onDone={() => navigate({ to: path("status-pages"), ignoreBlocker: true, replace: true })}
        />
      )}
    </section>
  );
}
