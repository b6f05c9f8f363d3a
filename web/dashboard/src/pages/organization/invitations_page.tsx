import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { DashboardSchemas } from "../../../../api/client";
import { account, take } from "../../api/services";
import { usePolled } from "../../api/use_polled";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { Blank, LoadError, PageError, Skeleton } from "../../parts/feedback";
import { Icon, State } from "../../parts/icon";
import { ListFoot } from "../../parts/list_foot";
import { ActionMenu } from "../../parts/menu";
import { PageHead } from "../../parts/page";
import { roleWord } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { capital } from "../credentials/credential_kind";
import { InvitationLink } from "./invitation_link";
import { invitationState } from "./invitation_values";
import { NeedsAdmin } from "./needs_admin";
import { type Invitation, useOrganization } from "./organization_context";
import { readInvitations } from "./organization_queries";

const ROUTE = "/dashboard/v1/organizations/{organizationId}/invitations/{id}";

type Delivery = "mail" | "copy";

interface RowProps {
  invitation: Invitation;
  renew: (delivery: Delivery) => void;
  withdraw: () => void;
}

function InvitationRow({ invitation, renew, withdraw }: RowProps) {
  const { email, state, delivery } = invitation;
  const { organization } = useOrganization();
  // Only owners change an invitation to become an owner.
  const allowed = invitation.role !== "org_owner" || organization.role === "org_owner";
  const renewable = allowed && (state === "open" || state === "expired");
  const roles = invitation.projects.map((one) => `${one.name}: ${roleWord(one.role)}`).join(", ");
  return (
    <tr role="row">
      <td className="cell-state" role="cell"><State state={invitationState(invitation)} /></td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <span className="medium wrap-any">{email}</span>
          {state === "open" && delivery?.reason && <span className="cell-sub wrap-any">{delivery.reason}</span>}
        </div>
      </th>
      <td data-label="Role" role="cell">
        <div className="cell-name">
          <span className="nowrap">{capital(roleWord(invitation.role))}</span>
          {roles && <span className="cell-sub">{roles}</span>}
        </div>
      </td>
      <td data-label="Invited by" role="cell"><bdi className="nowrap">{invitation.invitedBy.name}</bdi></td>
      <td data-label={state === "accepted" ? "Accepted" : "Expires"} role="cell">
        <Moment value={invitation.acceptedAt ?? invitation.expiresAt} form="minutes" />
      </td>
      <td className="cell-actions" role="cell">
        {renewable && (
          <ActionMenu
            label={`Renew or withdraw the invitation of ${email}`} small
            entries={[
              { id: "mail", icon: "mail", word: "Renew and mail the link", act: () => renew("mail") },
              { id: "copy", icon: "copy", word: "Renew and copy the link", act: () => renew("copy") },
              ...(state === "open" ? [{ id: "withdraw", icon: "trash", word: "Withdraw", act: withdraw } as const] : []),
            ]}
          />
        )}
      </td>
    </tr>
  );
}

function Invitations() {
  const { organization, key, path } = useOrganization();
  const place = useSearch({ from: "/signed-in/$org/_/invitations" });
  const client = useQueryClient();
  const [asking, setAsking] = useState<Invitation>();
  const [sent, setSent] = useState<DashboardSchemas["SentInvitation"]>();
  useTitle("Invitations", organization.name);
  const invitations = usePolled({
    key: [key, "invitations", place], keep: true, read: (headers, signal) => readInvitations(organization.id, place, headers, signal),
  });
  const changed = () => client.invalidateQueries({ queryKey: [key, "invitations"] });
  const params = (id: string) => ({ path: { organizationId: organization.id, id } });
  const renew = useMutation({
    mutationFn: ({ one, delivery }: { one: Invitation; delivery: Delivery }) =>
      take(account.POST(`${ROUTE}/renew`, { params: params(one.id), body: { delivery } })),
    gcTime: 0,
    onSuccess: (invitation) => {
      if (invitation.link) setSent(invitation);
      else toast({ text: `A new link is on its way to ${invitation.email}.` });
      return changed();
    },
    onError: (error, { one }) => warn(`The invitation of ${one.email} was not renewed. ${error.message}`),
  });
  const withdraw = useMutation({
    mutationFn: (one: Invitation) => take(account.DELETE(ROUTE, { params: params(one.id) })),
    onSuccess: (_, one) => {
      setAsking(undefined);
      toast({ text: `The invitation of ${one.email} was withdrawn.` });
      return changed();
    },
  });
  const invite = <Link className="btn btn-primary" to={path("invitations", "new")}><Icon name="plus" />Invite</Link>;
  const again = () => void invitations.refetch();
  return (
    <div className="page">
      <PageHead
        title="Invitations" actions={invitations.data?.rows.length ? invite : undefined}
        lead={`People who were invited to ${organization.name}. An invitation works for 7 days, and only for its address.`}
      />
      <section className="section" aria-label="Invitations">
        {invitations.error && invitations.data && <LoadError what="Changes" error={invitations.error} retry={again} />}
        {invitations.error && !invitations.data && (
          <PageError
            thing="This list" what="The invitations" error={invitations.error} retry={again}
            roles={{ needed: "administrator", own: roleWord(organization.role) }}
          />
        )}
        {!invitations.data && !invitations.error && <Skeleton name="invitations" />}
        {invitations.data && invitations.data.rows.length > 0 && (
          <CardTable
            caption={`Invitations to ${organization.name}`}
            heads={[
              ["state", "State"], ["email", "E-mail"], ["role", "Role"], ["by", "Invited by"], ["expires", <>Expires, <ZoneName /></>],
            ]}
            foot={<ListFoot things="Invitations" page={invitations.data} />}
          >
            {invitations.data.rows.map((one) => (
              <InvitationRow
                key={one.id} invitation={one} withdraw={() => (withdraw.reset(), setAsking(one))}
                renew={(delivery) => !renew.isPending && renew.mutate({ one, delivery })}
              />
            ))}
          </CardTable>
        )}
        {invitations.data && invitations.data.rows.length === 0 && (
          <div className="panel">
            <Blank icon="mail" title="No invitations yet">
              <p>Invite a person by e-mail. You choose the role in {organization.name} and in its projects.</p>
              <div className="row">{invite}</div>
            </Blank>
          </div>
        )}
      </section>
      {asking && (
        <Confirm
          title={`Withdraw the invitation of ${asking.email}?`} verb="Withdraw invitation" keepWord="Keep invitation"
          busy={withdraw.isPending} error={withdraw.error} onClose={() => setAsking(undefined)}
          onConfirm={() => !withdraw.isPending && withdraw.mutate(asking)}
        >
          <p className="muted">Its link stops immediately. You can invite the person again at any time.</p>
        </Confirm>
      )}
      {sent?.link && <InvitationLink email={sent.email} link={sent.link} onDone={() => (setSent(undefined), renew.reset())} />}
    </div>
  );
}

export default function InvitationsPage() {
  return <NeedsAdmin><Invitations /></NeedsAdmin>;
}
