import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { account, take } from "../../api/services";
import { Confirm } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { TokenList } from "../credentials/token_list";
import { type Member, useOrganization } from "./organization_context";
import { readImpact } from "./organization_queries";

const KINDS = { cli: "CLI token", test: "Token of a test", trigger: "Trigger key", legacy_trigger: "Trigger key" } as const;

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
        <TokenList
          rows={impact.data.rows.map(({ kind, project, ...one }) => ({ ...one, kind: KINDS[kind], place: `in ${project}` }))}
          total={total} words={["token or key stops for ever", "tokens and keys stop for ever"]}
        />
      )}
      {known && known.total > 0 && (
        <div className="stack g-2">
          <TokenList
            rows={known.tokens.map(({ project, ...one }) => ({ ...one, place: `of ${project ?? "the organisation"}` }))}
            total={known.total} words={["runner token stays valid", "runner tokens stay valid"]}
          />
          <p className="muted">{known.note}</p>
        </div>
      )}
    </Confirm>
  );
}
