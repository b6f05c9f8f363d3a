import { useMutation, useQueryClient } from "@tanstack/react-query";
import { take } from "../../api/services";
import { toast, warn } from "../../parts/toasts";
import { useProject } from "../project_context";
import type { Publication, StatusPage } from "./page_queries";

/** Reads all lists again that show status pages, their components or their posts. */
export function usePagesChanged(): () => Promise<unknown> {
  const { key } = useProject();
  const client = useQueryClient();
  const parts = ["status-pages", "page-incidents", "page-subscribers", "provider-usage", "usage"];
  return () => Promise.all(parts.map((part) => client.invalidateQueries({ queryKey: [key, part] })));
}

const DONE: Record<Publication, string> = { published: "is published", draft: "is a draft", archived: "is archived" };

/** Publishes a page, archives it or makes it a draft. */
export function usePublish() {
  const { api } = useProject();
  const changed = usePagesChanged();
  return useMutation({
    mutationFn: ({ page: { id }, status }: { page: Pick<StatusPage, "id" | "name">; status: Publication }) =>
      take(api.PATCH("/api/status-pages/{id}", { params: { path: { id } }, body: { status } })),
    onSuccess: (made) => {
      const look = made.status === "published" ? {} : { sign: "cancelled", look: "s-cancelled" } as const;
      toast({ text: `${made.name} ${DONE[made.status]}.`, ...look });
      return changed();
    },
    onError: (error, { page }) => warn(`${page.name} was not changed. ${error.message}`),
  });
}
