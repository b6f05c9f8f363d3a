import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { BACKGROUND, account, take } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { SelectField, TextField, detailsByField, sentence } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { Crumbs, PageHead } from "../../parts/page";
import { hasWords, searchPages } from "../../parts/search_pages";
import { type Choice, SHOWN, SearchSelect } from "../../parts/search_select";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { ROLES } from "../project_settings/project_roles";
import { InvitationLink } from "./invitation_link";
import { type InvitationValues, type OrganizationRole, type ProjectRole, invitationBody, rolesToGive } from "./invitation_values";
import { NeedsAdmin } from "./needs_admin";
import { useOrganization } from "./organization_context";
import { readOrganizationProjects } from "./organization_queries";

const START: InvitationValues = { email: "", role: "org_member", projects: {}, delivery: "mail" };
const DELIVERIES = [["mail", "The service mails the link"], ["copy", "I send the link myself; it is shown once"]] as const;

interface RolesProps {
  roles: InvitationValues["projects"];
  setRole: (projectId: string, role: ProjectRole | undefined) => void;
}

/** The roles of a member in projects: a project is found by its name, then it has a row. */
function ProjectRoles({ roles, setRole }: RolesProps) {
  const { organization, key } = useOrganization();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const chosen = Object.keys(roles);
  const search = async (words: string, signal: AbortSignal) => {
    const found = await searchPages(
      (page) => readOrganizationProjects(organization.id, page, BACKGROUND, signal),
      (one) => !one.archivedAt && !(one.id in roles) && hasWords(words, one.name, one.slug), SHOWN,
    );
    return { ...found, rows: found.rows.map((one) => ({ id: one.id, word: one.name, note: one.slug })) };
  };
  const add = ({ id, word }: Choice) => {
    setNames((old) => new Map(old).set(id, word));
    setRole(id, "project_viewer");
  };
  return (
    <fieldset className="stack g-3">
      <legend className="label">Roles in projects</legend>
      {chosen.length > 0 && (
        <ul className="form-list">
          {chosen.map((id) => (
            <li key={id}>
              <bdi className="medium wrap-any">{names.get(id)}</bdi>
              <SelectField
                label={`Role in project ${names.get(id)}`} name={`project-${id}`} hideLabel value={roles[id] ?? ""}
                options={ROLES} onChange={(role) => setRole(id, role as ProjectRole)}
              />
              <button
                className="btn btn-quiet btn-icon" type="button" aria-label={`Remove the role in ${names.get(id)}`}
                onClick={() => setRole(id, undefined)}
              >
                <Icon name="x" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <SearchSelect
        label="Add a project" name="project" placeholder="Search by name" queryKey={[key, "projects", "addable", chosen.join()]}
        search={search} onChoose={add} hint="Without a role in a project, the member sees none."
      />
    </fieldset>
  );
}

function NewInvitation() {
  const { organization, key, path } = useOrganization();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [values, setValues] = useState(START);
  const [wrong, setWrong] = useState<string>();
  useTitle("Invite", organization.name);
  const leave = () => navigate({ to: path("invitations"), ignoreBlocker: true, replace: true });
  const create = useMutation({
    mutationFn: (body: NonNullable<ReturnType<typeof invitationBody>["body"]>) =>
      take(account.POST("/dashboard/v1/organizations/{organizationId}/invitations", {
        params: { path: { organizationId: organization.id } }, body,
      })),
    gcTime: 0,
    onSuccess: (invitation) => {
      void client.invalidateQueries({ queryKey: [key, "invitations"] });
      if (invitation.link) return;
      toast({ text: `An invitation is on its way to ${invitation.email}.` });
      void leave();
    },
  });
  const changed = values !== START && !create.isSuccess;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? What you typed is lost."), enableBeforeUnload: () => changed,
  });
  const set = (part: Partial<InvitationValues>) => setValues((old) => ({ ...old, ...part }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || create.isSuccess) return;
    const { body, error } = invitationBody(values);
    setWrong(error);
    if (body) create.mutate(body);
  };
  const detail = detailsByField(create.error).get("/email");
  const emailError = wrong ?? (detail ? sentence(detail) : undefined);
  const made = create.data;
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Invitations", to: path("invitations") }, { word: "Invite" }]} />
      <PageHead
        title={`Invite to ${organization.name}`}
        lead="An invitation works for 7 days. It replaces an earlier open one of the same address."
      />
      <form className="form" noValidate onSubmit={submit}>
        {create.error && !detail && <ActError title="The invitation was not created" error={create.error} />}
        <TextField
          label="E-mail" name="email" type="email" value={values.email} autoFocus autoComplete="off" maxLength={320} error={emailError}
          onChange={(email) => (set({ email }), setWrong(undefined))}
        />
        <SelectField
          label={`Role in ${organization.name}`} name="role" value={values.role} options={rolesToGive(organization.role)}
          onChange={(role) => set({ role: role as OrganizationRole })}
          hint={
            values.role === "org_member"
              ? "A member sees the projects in which they have a role." : "This role has all rights in all projects."
          }
        />
        {values.role === "org_member" && (
          <ProjectRoles
            roles={values.projects}
            setRole={(id, role) => setValues(({ projects: { [id]: _, ...others }, ...old }) => ({
              ...old, projects: role ? { ...others, [id]: role } : others,
            }))}
          />
        )}
        <SelectField
          label="Delivery" name="delivery" value={values.delivery} options={DELIVERIES}
          onChange={(delivery) => set({ delivery: delivery as InvitationValues["delivery"] })}
          hint={values.delivery === "mail" ? "If the service sends no mails, the link is shown to you once." : undefined}
        />
        <div className="form-actions">
          <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Invite</button>
          <Link className="btn" to={path("invitations")}>Cancel</Link>
        </div>
      </form>
      {made?.link && <InvitationLink email={made.email} link={made.link} onDone={() => void leave()} />}
    </div>
  );
}

export default function NewInvitationPage() {
  return <NeedsAdmin><NewInvitation /></NeedsAdmin>;
}
