import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { PageError, Skeleton } from "../../parts/feedback";
import { hasRole } from "../../parts/states";
import { toast } from "../../parts/toasts";
import { useProject } from "../project_context";
import { useProviders } from "../providers/provider_queries";
import { DeletePageZone } from "./page_dialogs";
import { PageForm } from "./page_form";
import { StatusPageFrame } from "./page_frame";
import { type StatusPage, type Version, readPageVersion } from "./page_queries";
import { FIELD_WORDS, type PageValues, bodyOf, errorsOf, memberText, valuesOf } from "./page_values";
import { EditConflict, useEdit } from "./use_edit";
import { usePagesChanged } from "./use_page_acts";

function SettingsForm({ version }: { version: Version<StatusPage> }) {
  const { api, path } = useProject();
  const navigate = useNavigate();
  const changedLists = usePagesChanged();
  const providers = useProviders();
  const { id, customDomain } = version.thing;
  const edit = useEdit<StatusPage, PageValues>({
    version, valuesOf, bodyOf, wrongOf: errorsOf, read: () => readPageVersion(api, id),
    write: (body, etag) =>
      take(api.PATCH("/api/status-pages/{id}", { params: { path: { id }, header: { "If-Match": etag } }, body: body as never })),
    onSaved: async (made) => {
      const next = made as StatusPage;
      toast({ text: `Status page ${next.name} was saved.` });
      void changedLists();
      // A new domain needs its proof, which has a page of its own.
      const proves = next.customDomain && next.customDomain !== customDomain ? ["domain"] : [];
      await navigate({ to: path("status-pages", id, ...proves), ignoreBlocker: true });
    },
  });
  const { changed, busy, etag, patch } = edit;
  const providerName = (one: string) => providers.data?.rows.find((row) => row.id === one)?.name ?? `Provider ${one.slice(0, 8)}`;
  return (
    <>
      <EditConflict edit={edit} thing="status page" words={FIELD_WORDS} textOf={(field, body) => memberText(field, body, providerName)} />
      <PageForm
        values={edit.values} set={edit.set} errors={edit.errors} refusal={edit.refusal} failure="The status page was not saved"
        submit={edit.submit}
      >
        {edit.values.slug !== version.thing.slug && (
          <p className="small muted">The former address leads to the new one for 90 days. A page has at most five former addresses.</p>
        )}
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={!changed || busy}>Save settings</button>
          <Link className="btn" to={path("status-pages", id)}>Cancel</Link>
        </div>
      </PageForm>
      {changed && (
        <AsApi views={[{ request: { method: "PATCH", path: `/api/status-pages/${id}`, headers: { "If-Match": etag }, body: patch } }]} />
      )}
    </>
  );
}

function Settings({ page }: { page: StatusPage }) {
  const { api, key, path, project } = useProject();
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const found = useQuery({
    queryKey: [key, "status-page-edit", page.id], queryFn: ({ signal }) => readPageVersion(api, page.id, signal),
    staleTime: Infinity, gcTime: 0,
  });
  return (
    <div className="stack g-6 form-width">
      {found.error && (
        <PageError
          thing="This status page" what="The settings" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("status-pages")}>Show all status pages</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name="the settings" rows={6} />}
      {found.data && <SettingsForm key={page.id} version={found.data} />}
      {hasRole(project.role, "project_admin") && <DeletePageZone page={page} />}
    </div>
  );
}

export default function StatusPageSettingsPage() {
  const { pageId } = useParams({ from: "/signed-in/$org/$project/status-pages/$pageId/settings" });
  return <StatusPageFrame id={pageId} tab="settings" needsEditor>{(page) => <Settings page={page} />}</StatusPageFrame>;
}
