import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAccount } from "../../api/account";
import { CardTable } from "../../parts/card_table";
import { Confirm } from "../../parts/dialog";
import { State } from "../../parts/icon";
import { ActionMenu } from "../../parts/menu";
import { hasRole, tokenState } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useNow } from "../../parts/use_clock";
import { relativeText } from "../../time/format";
import { useProject } from "../project_context";
import { type Credential, type CredentialKind, capital } from "./credential_kind";

function Expiry({ credential }: { credential: Credential }) {
  const now = useNow();
  if (credential.previous) {
    return (
      <div className="cell-name nowrap muted">
        <span>Old secret ends</span>
        <span>{relativeText(new Date(credential.previous.expiresAt), now)}</span>
      </div>
    );
  }
  if (!credential.expiresAt) return <span className="muted nowrap">Does not expire</span>;
  return (
    <div className="cell-name">
      <Moment value={credential.expiresAt} form="date" />
      <span className="cell-sub">{relativeText(new Date(credential.expiresAt), now)}</span>
    </div>
  );
}

interface RowProps {
  credential: Credential;
  kind: CredentialKind;
  note?: ReactNode;
  revoke: () => void;
  enable: (enabled: boolean) => void;
}

/** Administrators see who has disabled a credential in the audit trail. */
function WhoDisabled({ credential, kind }: { credential: Credential; kind: CredentialKind }) {
  const { path, project } = useProject();
  if (credential.enabled || !hasRole(project.role, "project_admin")) return null;
  return (
    <Link
      className="more nowrap" to={path("audit")} search={{ action: `${kind.audited}.disabled` }}
      aria-label={`Who disabled ${credential.name}`}
    >
      Who disabled it
    </Link>
  );
}

function CredentialRow({ credential, kind, note, revoke, enable }: RowProps) {
  const { project } = useProject();
  const { user } = useAccount();
  const state = tokenState(credential, useNow());
  const own = credential.createdBy.id === user.id;
  const manages = own || hasRole(project.role, "project_admin");
  const rotates = own && credential.enabled && state.word !== "Expired";
  return (
    <tr role="row">
      <td className="cell-state" role="cell">
        <div className="cell-name">
          <State state={state} />
          <WhoDisabled credential={credential} kind={kind} />
        </div>
      </td>
      <th scope="row" role="rowheader" className="cell-grow">
        <div className="cell-name">
          <span className="medium clip" dir="auto">{credential.name}</span>
          <code className="cell-sub">{credential.start}</code>
          {note && <span className="cell-sub">{note}</span>}
        </div>
      </th>
      <td data-label="Owner" role="cell"><span className="nowrap" dir="auto">{credential.createdBy.name}</span></td>
      <td data-label="Last used" role="cell">
        <div className="cell-name">
          <Moment value={credential.lastUsedAt} missing="Never" />
          {credential.lastUsedIp && <span className="cell-sub mono">{credential.lastUsedIp}</span>}
        </div>
      </td>
      <td data-label="Expires" role="cell"><Expiry credential={credential} /></td>
      <td className="cell-actions" role="cell">
        {rotates && (
          <Link className="btn btn-s" to={kind.rotatePath(credential.id)} aria-label={`Rotate ${credential.name}`}>Rotate</Link>
        )}{" "}
        {manages && (
          <ActionMenu
            label={`More for ${credential.name}`} small
            entries={[
              credential.enabled
                ? { id: "disable", icon: "stop", word: "Disable", act: () => enable(false) }
                : { id: "enable", icon: "play", word: "Enable", act: () => enable(true) },
              { id: "revoke", icon: "trash", word: "Revoke", act: revoke },
            ]}
          />
        )}
      </td>
    </tr>
  );
}

interface TableProps {
  caption: string;
  rows: readonly Credential[];
  kind: CredentialKind;
  /** A line below the name. */
  note?: (credential: Credential) => ReactNode;
  foot?: ReactNode;
}

/** Credentials with their owners and last uses, and what can be done with them. */
export function CredentialTable({ caption, rows, kind, note, foot }: TableProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState<Credential>();
  const changed = () => client.invalidateQueries({ queryKey: kind.listKey });
  const thing = capital(kind.thing);
  const revoke = useMutation({
    mutationFn: (one: Credential) => kind.revoke(one.id),
    onSuccess: (_, one) => {
      setAsking(undefined);
      toast({ text: `${thing} ${one.name} was revoked.` });
      return changed();
    },
  });
  const enable = useMutation({
    mutationFn: ({ one, enabled }: { one: Credential; enabled: boolean }) => kind.enable(one.id, enabled),
    onSuccess: (_, { one, enabled }) => {
      toast({ text: `${thing} ${one.name} is ${enabled ? "enabled" : "disabled"}.` });
      return changed();
    },
    onError: (error, { one }) => warn(`${thing} ${one.name} was not changed. ${error.message}`),
  });
  const confirmation = asking && (
    <Confirm
      title={`Revoke ${kind.thing} ${asking.name}?`} verb={`Revoke ${kind.thing}`} keepWord={`Keep ${kind.thing}`}
      busy={revoke.isPending} error={revoke.error} onClose={() => setAsking(undefined)}
      onConfirm={() => !revoke.isPending && revoke.mutate(asking)}
    >
      <p className="muted">
        Requests with it are refused immediately, on every instance.{" "}
        {asking.lastUsedAt
          ? <>It was last used at <Moment value={asking.lastUsedAt} />{asking.lastUsedIp && ` from ${asking.lastUsedIp}`}.</>
          : "It was never used."} It cannot be restored.
      </p>
    </Confirm>
  );
  return (
    <CardTable
      caption={caption} foot={<>{foot}{confirmation}</>}
      heads={[
        ["state", "State"], ["name", "Name"], ["owner", "Owner"], ["used", <>Last used, <ZoneName /></>], ["expires", "Expires"],
      ]}
    >
      {rows.map((one) => (
        <CredentialRow
          key={one.id} credential={one} kind={kind} note={note?.(one)} revoke={() => (revoke.reset(), setAsking(one))}
          enable={(enabled) => enable.mutate({ one, enabled })}
        />
      ))}
    </CardTable>
  );
}
