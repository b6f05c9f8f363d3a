import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { account, take } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { Crumbs, PageHead } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { slugOf } from "./invitation_values";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";

function NewProject() {
  const { organization, key, path } = useOrganization();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<string>();
  const [missing, setMissing] = useState(false);
  useTitle("Create project", organization.name);
  const slug = typed ?? slugOf(name);
  const create = useMutation({
    mutationFn: () => take(account.POST("/dashboard/v1/organizations/{organizationId}/projects", {
      params: { path: { organizationId: organization.id } }, body: { name: name.trim(), slug },
    })),
    onSuccess: async (project) => {
      toast({ text: `Project ${project.name} was created.` });
      await Promise.all([
        client.invalidateQueries({ queryKey: [key, "projects"] }), client.invalidateQueries({ queryKey: ["projects"] }),
        client.invalidateQueries({ queryKey: ["project", organization.slug] }),
      ]);
      await navigate({ to: `/${organization.slug}/${project.slug}/jobs`, ignoreBlocker: true });
    },
  });
  const changed = name !== "" && !create.isSuccess;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    setMissing(!name.trim() || !slug);
    if (name.trim() && slug) create.mutate();
  };
  const details = detailsByField(create.error);
  const taken = create.error instanceof ApiError && create.error.code === "name_taken";
  const refused = (field: string) => (details.has(field) ? sentence(details.get(field)!) : undefined);
  const nameError = missing && !name.trim() ? "Enter a name." : refused("/name");
  const slugError = missing && !slug ? "Enter a short name."
    : taken ? "Another project has this short name. Choose another one." : refused("/slug");
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Projects", to: path("projects") }, { word: "Create project" }]} />
      <PageHead title="Create project" />
      <form className="form" noValidate onSubmit={submit}>
        {create.error && !nameError && !slugError && <ActError title="The project was not created" error={create.error} />}
        <TextField
          label="Name" name="name" value={name} onChange={(value) => (setName(value), setMissing(false))} autoFocus autoComplete="off"
          maxLength={255} error={nameError}
        />
        <TextField
          label="Short name" name="slug" value={slug} onChange={(value) => (setTyped(value), setMissing(false))} autoComplete="off" mono
          maxLength={63} error={slugError} hint={`Of a-z, 0-9 and -. Addresses have it: ${organization.slug}/${slug || "shop"}. It stays.`}
        />
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create project</button>
          <Link className="btn" to={path("projects")}>Cancel</Link>
        </div>
      </form>
    </div>
  );
}

export default function NewProjectPage() {
  return <NeedsAdmin><NewProject /></NeedsAdmin>;
}
