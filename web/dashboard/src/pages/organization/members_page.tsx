import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { account, take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { CardTable } from "../../parts/card_table";
import { LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { PageHead } from "../../parts/page";
import { Person } from "../../parts/person";
import { RoleField } from "../../parts/role_field";
import { roleWord } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { capital } from "../credentials/credential_kind";
import { type OrganizationRole, rolesToGive } from "./invitation_values";
import { type Member, useOrganization } from "./organization_context";
import { readMembers } from "./organization_queries";
import { RemoveMember } from "./remove_member";

/** The roles of a member in projects, in words. */
function projectsOf({ role, projects }: Member): string {
  if (role !== "org_member") return "All projects";
  if (!projects) return "–";
  if (projects.length > 3) return `${projects.length} projects`;
  return projects.map((one) => `${one.name}: ${roleWord(one.role)}`).join(", ") || "No project";
}

interface RowProps {
  member: Member;
  remove: () => void;
  setRole: (role: OrganizationRole) => void;
}

function MemberRow({ member, remove, setRole }: RowProps) {
  const { organization, admin } = useOrganization();
  const own = useAccount().user.id === member.id;
  const manages = admin && !member.source && (member.role !== "org_owner" || organization.role === "org_owner");
  return (
    <tr role="row">
      <th scope="row" role="rowheader" className="cell-grow">
        <Person
          name={member.name} email={member.email} own={own} verified={member.emailVerifiedAt !== null} disabled={member.disabled}
        />
      </th>
      <td data-label="Role" role="cell">
        {manages && !own
          ? <RoleField name={member.name} role={member.role} options={rolesToGive(organization.role)} setRole={setRole} />
          : capital(roleWord(member.role))}
      </td>
      <td data-label="Role from" role="cell"><span className="muted nowrap">{member.source ?? "A person"}</span></td>
      {admin && (
        <td data-label="Projects" role="cell">
          <span className={member.role === "org_member" ? "muted" : "muted nowrap"}>{projectsOf(member)}</span>
        </td>
      )}
      <td data-label="Member since" role="cell"><Moment value={member.createdAt} form="date" /></td>
      <td className="cell-actions" role="cell">
        {manages && (
          <button
            className="btn btn-s btn-danger-quiet" type="button" aria-haspopup="dialog" onClick={remove}
            aria-label={own ? `Leave ${organization.name}` : `Remove ${member.name}`}
          >
            {own ? "Leave" : "Remove"}
          </button>
        )}
      </td>
    </tr>
  );
}

export default function MembersPage() {
  const { organization, key, path, admin } = useOrganization();
  const place = useSearch({ from: "/signed-in/$org/_/members" });
  const client = useQueryClient();
  const { user } = useAccount();
  const [asking, setAsking] = useState<Member>();
  useTitle("Members", organization.name);
  const members = usePolled({
    key: [key, "members", place], keep: true, every: 60_000,
    read: (headers, signal) => readMembers(organization.id, place, headers, signal),
  });
  const change = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: OrganizationRole }) =>
      take(account.PATCH("/dashboard/v1/organizations/{organizationId}/members/{userId}", {
        params: { path: { organizationId: organization.id, userId: member.id } }, body: { role },
      })),
    onSuccess: ({ name, role }) => {
      toast({ text: `${name} is ${roleWord(role)} now.` });
      return client.invalidateQueries({ queryKey: [key, "members"] });
    },
    onError: (error, { member }) => warn(`The role of ${member.name} was not changed. ${error.message}`),
  });
  const rows = members.data?.rows ?? [];
  const managed = rows.filter((one) => one.source).length;
  const again = () => void members.refetch();
  return (
    <div className="page">
      <PageHead
        title="Members" lead={`The members of ${organization.name} and their roles. Only owners can add or remove owners.`}
        actions={admin && <Link className="btn btn-primary" to={path("invitations", "new")}><Icon name="plus" />Invite</Link>}
      />
      <section className="section" aria-label="Members">
        {members.error && members.data && <LoadError what="Changes" error={members.error} retry={again} />}
        {members.error && !members.data && (
          <PageError
            thing="This list" what="The members" error={members.error} retry={again}
            roles={{ needed: "member", own: roleWord(organization.role) }}
          />
        )}
        {!members.data && !members.error && <Skeleton name="members" />}
        {members.data && (
          <CardTable
            caption={`Members of ${organization.name}`}
            heads={[
              ["name", "Name"], ["role", "Role"], ["source", "Role from"], ...(admin ? [["projects", "Projects"] as const] : []),
              ["since", <>Member since, <ZoneName /></>],
            ]}
            foot={
              <ListFoot things="Members" page={members.data} words={["Previous", "Next"]}>
                {managed > 0 && (
                  <span className="faint">
                    Groups of an identity provider set {managed} of these roles. Change such a role in the provider.
                  </span>
                )}
              </ListFoot>
            }
          >
            {rows.map((member) => (
              <MemberRow
                key={member.id} member={member} remove={() => setAsking(member)} setRole={(role) => change.mutate({ member, role })}
              />
            ))}
          </CardTable>
        )}
      </section>
      {asking && <RemoveMember member={asking} own={asking.id === user.id} onClose={() => setAsking(undefined)} />}
    </div>
  );
}
