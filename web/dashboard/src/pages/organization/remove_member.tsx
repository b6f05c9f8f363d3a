import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { account, take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { numberText } from "../../time/format";
import { type Member, useOrganization } from "./organization_context";
import { readImpact } from "./organization_queries";

const KINDS = { cli: "CLI token", test: "Token of a test", trigger: "Trigger key", legacy_trigger: "Trigger key" } as const;
const SHOWN = 8;

/** Names what the removal stops before it offers the removal. */
export function RemoveMember({ member, own, onClose }: { member: Member; own: boolean; onClose: () => void }) {
  const { organization, key } = useOrganization();
  const client = useQueryClient();
  const impact = useQuery({
    queryKey: [key, "impact", member.id], queryFn: ({ signal }) => readImpact(organization.id, member.id, signal), staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => take(account.DELETE("/dashboard/v1/organizations/{organizationId}/members/{userId}", {
      params: { path: { organizationId: organization.id, userId: member.id } },
    })),
    onSuccess: () => {
      // Nothing of the organisation stays readable, so the program starts anew.
      if (own) return location.replace("/app/");
      toast({ text: `${member.name} is no member any more.` });
      onClose();
      return client.invalidateQueries({ queryKey: [key, "members"] });
    },
  });
  const total = impact.data?.total ?? 0;
  const known = impact.data?.runnerTokens;
  return (
    <Confirm
      title={own ? `Leave ${organization.name}?` : `Remove ${member.name} from ${organization.name}?`}
      verb={own ? "Leave the organisation" : "Remove the member"} keepWord={own ? "Stay" : "Keep the member"}
      busy={remove.isPending || !impact.data} error={remove.error ?? impact.error} onClose={onClose}
      onConfirm={() => impact.data && !remove.isPending && remove.mutate()}
    >
      <p className="muted">The membership ends with its roles in projects. What {own ? "you" : member.name} made stays.</p>
      {!impact.data && !impact.error && <p className="muted" role="status">Looking for tokens and keys that stop…</p>}
      {impact.data && total === 0 && <p>No token or key stops.</p>}
      {impact.data && total > 0 && (
        <div className="stack g-2">
          <p className="medium">{total === 1 ? "1 token or key stops for ever:" : `${numberText(total)} tokens and keys stop for ever:`}</p>
          <ul className="stack g-1 small">
            {impact.data.rows.slice(0, SHOWN).map((one) => (
              <li className="wrap-any" key={one.id}>
                {KINDS[one.kind]} <bdi className="medium">{one.name}</bdi> in {one.project} <code>{one.start}</code>
              </li>
            ))}
            {total > SHOWN && <li className="muted">and {numberText(total - SHOWN)} more</li>}
          </ul>
        </div>
      )}
      {known && known.total > 0 && (
        <div className="stack g-2">
          <p className="medium">
            {known.total === 1 ? "1 runner token stays valid:" : `${numberText(known.total)} runner tokens stay valid:`}
          </p>
          <ul className="stack g-1 small">
            {known.tokens.slice(0, SHOWN).map((one) => (
              <li className="wrap-any" key={one.id}>
                <bdi className="medium">{one.name}</bdi> of {one.project ?? "the organisation"} <code>{one.start}</code>
              </li>
            ))}
            {known.total > SHOWN && <li className="muted">and {numberText(known.total - SHOWN)} more</li>}
          </ul>
          <p className="muted">{known.note}</p>
        </div>
      )}
    </Confirm>
  );
}
