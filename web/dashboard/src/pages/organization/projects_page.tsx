import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { account, take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon, State } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { roleWord } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { NeedsAdmin } from "./needs_admin";
import { type OrganizationProject, useOrganization } from "./organization_context";
import { readOrganizationProjects } from "./organization_queries";

const ROUTE = "/dashboard/v1/organizations/{organizationId}/projects/{projectId}";
const ACTIVE = { word: "Active", sign: "passed", look: "s-active" } as const;
const ARCHIVED = { word: "Archived", sign: "cancelled", look: "s-disabled" } as const;

function ProjectRow({ project, archive, restore }: { project: OrganizationProject; archive: () => void; restore: () => void }) {
  const { organization } = useOrganization();
  const archived = project.archivedAt !== null;
  const address: string = `/${organization.slug}/${project.slug}/jobs`;
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={archived ? ARCHIVED : ACTIVE} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          {archived
            ? <bdi className="medium">{project.name}</bdi>
            : <Link to={address} className="clip" dir="auto">{project.name}</Link>}
          <code className="cell-sub">{organization.slug}/{project.slug}</code>
        </div>
      </th>
      <td data-label="Created" role="cell"><Moment value={project.createdAt} form="minutes" /></td>
      <td data-label="Archived" role="cell"><Moment value={project.archivedAt} form="minutes" /></td>
      <td className="cell-actions" role="cell">
        {archived
          ? <button className="btn btn-s" type="button" aria-label={`Restore ${project.name}`} onClick={restore}>Restore</button>
          : (
            <button
              className="btn btn-s btn-danger-quiet" type="button" aria-haspopup="dialog" aria-label={`Archive ${project.name}`}
              onClick={archive}
            >
              Archive
            </button>
          )}
      </td>
    </tr>
  );
}

function Projects() {
  const { organization, key, path } = useOrganization();
  const place = useSearch({ from: "/signed-in/$org/_/projects" });
  const client = useQueryClient();
  const [asking, setAsking] = useState<OrganizationProject>();
  useTitle("Projects", organization.name);
  const projects = usePolled({
    key: [key, "projects", place], keep: true, every: 60_000,
    read: (headers, signal) => readOrganizationProjects(organization.id, place, headers, signal),
  });
  const changed = () => Promise.all([
    client.invalidateQueries({ queryKey: [key, "projects"] }), client.invalidateQueries({ queryKey: ["projects"] }),
    client.invalidateQueries({ queryKey: ["project", organization.slug] }),
  ]);
  const params = (projectId: string) => ({ path: { organizationId: organization.id, projectId } });
  const archive = useMutation({
    mutationFn: (one: OrganizationProject) => take(account.POST(`${ROUTE}/archive`, { params: params(one.id) })),
    onSuccess: (one) => {
      setAsking(undefined);
      toast({ text: `Project ${one.name} is archived.` });
      return changed();
    },
  });
  const restore = useMutation({
    mutationFn: (one: OrganizationProject) => take(account.POST(`${ROUTE}/restore`, { params: params(one.id) })),
    onSuccess: (one) => (toast({ text: `Project ${one.name} works again.` }), changed()),
    onError: (error, one) => warn(`Project ${one.name} was not restored. ${error.message}`),
  });
  const create = <Link className="btn btn-primary" to={path("projects", "new")}><Icon name="plus" />Create project</Link>;
  const again = () => void projects.refetch();
  return (
    <div className="page">
      <PageHead
        title="Projects" lead={`All projects of ${organization.name}, the newest first.`}
        actions={projects.data?.rows.length ? create : undefined}
      />
      <section className="section" aria-label="Projects">
        {projects.error && projects.data && <LoadError what="Changes" error={projects.error} retry={again} />}
        {projects.error && !projects.data && (
          <PageError
            thing="This list" what="The projects" error={projects.error} retry={again}
            roles={{ needed: "administrator", own: roleWord(organization.role) }}
          />
        )}
        {!projects.data && !projects.error && <Skeleton name="projects" />}
        {projects.data && projects.data.rows.length > 0 && (
          <CardTable
            caption={`Projects of ${organization.name}`} foot={<ListFoot things="Projects" page={projects.data} />}
            heads={[["state", "State"], ["name", "Name"], ["created", <>Created, <ZoneName /></>], ["archived", "Archived"]]}
          >
            {projects.data.rows.map((one) => (
              <ProjectRow
                key={one.id} project={one} archive={() => (archive.reset(), setAsking(one))}
                restore={() => !restore.isPending && restore.mutate(one)}
              />
            ))}
          </CardTable>
        )}
        {projects.data && projects.data.rows.length === 0 && (
          <div className="panel">
            <Blank icon="jobs" title="No projects yet">
              <p>A project holds jobs, runs, tokens and runners, and the roles of its members.</p>
              <div className="row">{create}</div>
            </Blank>
          </div>
        )}
      </section>
      {asking && (
        <Confirm
          title={`Archive project ${asking.name}?`} verb="Archive project" keepWord="Keep project" busy={archive.isPending}
          error={archive.error} onClose={() => setAsking(undefined)} onConfirm={() => !archive.isPending && archive.mutate(asking)}
        >
          <p className="muted">
            Its tokens, trigger keys and pages are refused immediately, and schedules and monitors stop. Nothing is deleted: you can restore
            the project here.
          </p>
        </Confirm>
      )}
    </div>
  );
}

export default function ProjectsPage() {
  return <NeedsAdmin><Projects /></NeedsAdmin>;
}
