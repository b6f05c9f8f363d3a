import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { Person } from "../../parts/person";
import { RoleField } from "../../parts/role_field";
import { hasRole, roleWord } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { capital } from "../credentials/credential_kind";
import { useProject } from "../project_context";
import { list } from "../project_queries";
import { AddProjectMember } from "./add_project_member";
import { type ProjectMember, ROLES, type Role } from "./project_roles";
import { StoppedTokens } from "./stopped_tokens";

const ROUTE = "/dashboard/v1/project/members/{userId}";

interface RowProps {
  member: ProjectMember;
  remove: () => void;
  setRole: (role: Role) => void;
}

function MemberRow({ member, remove, setRole }: RowProps) {
  const { project } = useProject();
  const own = useAccount().user.id === member.id;
  const manages = hasRole(project.role, "project_admin") && !member.source;
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <Person
          name={member.name} email={member.email} own={own} verified={member.emailVerifiedAt !== null} disabled={member.disabled}
        />
      </th>
      <td data-label="Role" role="cell">
        {manages && !own
          ? <RoleField name={member.name} role={member.role} options={ROLES} setRole={setRole} />
          : capital(roleWord(member.role))}
      </td>
      <td data-label="Role from" role="cell"><span className="muted nowrap">{member.source ?? "A person"}</span></td>
      <td data-label="Since" role="cell"><Moment value={member.createdAt} form="date" /></td>
      <td className="cell-actions" role="cell">
        {manages && (
          <button
            className="btn btn-s btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={remove}
            aria-label={own ? "Leave the project" : `Remove ${member.name}`}
          >
            {own ? "Leave" : "Remove"}
          </button>
        )}
      </td>
    </tr>
  );
}

export default function ProjectMembersPage() {
  const { project, pages, key } = useProject();
  const place = useSearch({ from: "/signed-in/$org/$project/members" });
  const { user } = useAccount();
  const client = useQueryClient();
  const [asking, setAsking] = useState<ProjectMember>();
  const [adding, setAdding] = useState(false);
  useTitle("Members", project.name);
  const members = usePolled({
    key: [key, "members", place], keep: true, every: 60_000,
    read: (headers, signal) =>
      list<ProjectMember>(pages.GET("/dashboard/v1/project/members", { params: { query: { limit: 100, ...place } }, headers, signal })),
  });
  const changed = () => client.invalidateQueries({ queryKey: [key, "members"] });
  const set = async (userId: string, role: Role) => {
    const member = await take(pages.PUT(ROUTE, { params: { path: { userId } }, body: { role } }));
    toast({ text: `${member.name} is ${roleWord(member.role)} now.` });
    await changed();
  };
  const change = useMutation({
    mutationFn: ({ member, role }: { member: ProjectMember; role: Role }) => set(member.id, role),
    onError: (error, { member }) => warn(`The role of ${member.name} was not changed. ${error.message}`),
  });
  const remove = useMutation({
    mutationFn: (one: ProjectMember) => take(pages.DELETE(ROUTE, { params: { path: { userId: one.id } } })),
    onSuccess: (_, one) => {
      setAsking(undefined);
      toast({ text: `The role of ${one.name} in ${project.name} has ended.` });
      if (one.id === user.id) void client.invalidateQueries({ queryKey: ["project", project.organization.slug] });
      return changed();
    },
  });
  const admin = hasRole(project.role, "project_admin");
  const rows = members.data?.rows ?? [];
  const again = () => void members.refetch();
  const add = (
    <button className="btn btn-primary" type="button" aria-haspopup="dialog" onClick={() => setAdding(true)}>
      <Icon name="plus" />Add member
    </button>
  );
  const own = asking?.id === user.id;
  return (
    <div className="page">
      <PageHead
        title="Members" actions={admin && rows.length > 0 && add}
        lead={`People with a role in ${project.name}. Administrators of ${project.organization.name} have all rights without one.`}
      />
      <section className="section" aria-label="Members">
        {members.error && members.data && <LoadError what="Changes" error={members.error} retry={again} />}
        {members.error && !members.data && (
          <PageError
            thing="This list" what="The members" error={members.error} retry={again}
            roles={{ needed: "viewer", own: roleWord(project.role) }}
          />
        )}
        {!members.data && !members.error && <Skeleton name="members" />}
        {members.data && rows.length > 0 && (
          <CardTable
            caption={`Members of ${project.name}`} foot={<ListFoot things="Members" page={members.data} words={["Previous", "Next"]} />}
            heads={[["name", "Name"], ["role", "Role"], ["source", "Role from"], ["since", <>Since, <ZoneName /></>]]}
          >
            {rows.map((member) => (
              <MemberRow
                key={member.id} member={member} remove={() => (remove.reset(), setAsking(member))}
                setRole={(role) => change.mutate({ member, role })}
              />
            ))}
          </CardTable>
        )}
        {members.data && rows.length === 0 && (
          <div className="panel">
            <Blank icon="users" title="Nobody has a role of this project">
              <p>Only administrators of {project.organization.name} can use it. Give members of the organisation a role here.</p>
              {admin && <div className="row">{add}</div>}
            </Blank>
          </div>
        )}
      </section>
      {adding && <AddProjectMember present={new Set(rows.map((one) => one.id))} add={set} onClose={() => setAdding(false)} />}
      {asking && (
        <Confirm
          title={own ? `Leave ${project.name}?` : `Remove ${asking.name} from ${project.name}?`}
          verb={own ? "Leave the project" : "Remove the member"} keepWord={own ? "Stay" : "Keep the member"} busy={remove.isPending}
          error={remove.error} onClose={() => setAsking(undefined)} onConfirm={() => !remove.isPending && remove.mutate(asking)}
        >
          <StoppedTokens member={asking} />
        </Confirm>
      )}
    </div>
  );
}
