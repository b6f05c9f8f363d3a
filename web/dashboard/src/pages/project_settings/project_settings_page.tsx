import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { account, take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { NameForm } from "../../parts/name_form";
import { PageHead } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { organizationPath } from "../organization_address";
import { useProject } from "../project_context";
import { NeedsProjectAdmin } from "../needs_project_role";

function Archive() {
  const { project } = useProject();
  const { organization } = project;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const archive = useMutation({
    mutationFn: () => take(account.POST("/dashboard/v1/organizations/{organizationId}/projects/{projectId}/archive", {
      params: { path: { organizationId: organization.id, projectId: project.id } },
    })),
    onSuccess: async () => {
      toast({ text: `Project ${project.name} is archived.` });
      await navigate({ to: organizationPath(organization.slug, "projects"), replace: true });
      for (const queryKey of [["projects"], ["project", organization.slug], [organization.id, "projects"]]) {
        void client.invalidateQueries({ queryKey });
      }
    },
  });
  return (
    <section className="section" aria-labelledby="archive-head">
      <h2 id="archive-head">Archive</h2>
      <p className="muted">
        An archived project refuses its tokens, trigger keys and pages, and its schedules and monitors stop. Nothing is deleted.
      </p>
      <div className="row">
        <button className="btn btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
          Archive project
        </button>
      </div>
      {asking && (
        <Confirm
          title={`Archive project ${project.name}?`} verb="Archive project" keepWord="Keep project" busy={archive.isPending}
          error={archive.error} onClose={() => (archive.reset(), setAsking(false))}
          onConfirm={() => !archive.isPending && archive.mutate()}
        >
          <p className="muted">
            Its tokens, trigger keys and pages are refused immediately, and schedules and monitors stop. Nothing is deleted: you can restore
            it among the projects of {organization.name}.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Settings() {
  const { project, pages } = useProject();
  const client = useQueryClient();
  useTitle("Settings", project.name);
  const save = async (name: string) => {
    await take(pages.PATCH("/dashboard/v1/project", { body: { name } }));
    await client.invalidateQueries({ queryKey: ["project", project.organization.slug] });
    for (const queryKey of [["projects"], [project.organization.id, "projects"]]) void client.invalidateQueries({ queryKey });
  };
  return (
    <div className="page page-narrow">
      <PageHead title="Settings" lead={`Name and state of ${project.name}.`} />
      <section className="section" aria-labelledby="name-head">
        <h2 id="name-head">General</h2>
        <NameForm key={project.name} thing="project" name={project.name} slug={project.slug} save={save} />
      </section>
      {(project.role === "org_admin" || project.role === "org_owner") && <Archive />}
    </div>
  );
}

export default function ProjectSettingsPage() {
  return <NeedsProjectAdmin><Settings /></NeedsProjectAdmin>;
}
