import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../../api/account";
import { BACKGROUND } from "../../api/services";
import { MOST_PAGES, findRows } from "../../parts/search_pages";
import { isAccepted, roleWord } from "../../parts/states";
import { useNow } from "../../parts/use_clock";
import { TokenList } from "../credentials/token_list";
import { readMembers } from "../organization/organization_queries";
import { useProject } from "../project_context";
import { readTokens } from "../project_queries";
import type { ProjectMember } from "./project_roles";

/** Reads the role in the organisation of a member of the project. */
function useOrganizationRole(userId: string) {
  const { project, key } = useProject();
  return useQuery({
    queryKey: [key, "organization-role", userId], staleTime: 0,
    queryFn: async ({ signal }) => {
      const read = (page: object) => readMembers(project.organization.id, page, BACKGROUND, signal);
      const [member] = await findRows(read, [userId], { pages: MOST_PAGES });
      if (!member) throw new Error(`The role in ${project.organization.name} was not found.`);
      return member.role;
    },
  });
}

/** What the end of a member's role in the project stops: nothing of an administrator of the organisation. */
export function StoppedTokens({ member }: { member: ProjectMember }) {
  const { project, api, key } = useProject();
  const own = useAccount().user.id === member.id;
  const now = useNow();
  const role = useOrganizationRole(member.id);
  // A project has at most 20 tokens.
  const tokens = useQuery({
    queryKey: [key, "tokens", "of all"], queryFn: ({ signal }) => readTokens(api, {}, {}, signal), staleTime: 0,
  });
  const error = role.error ?? tokens.error;
  if (error) return <p>The tokens that stop could not be loaded. {error.message}</p>;
  if (!role.data || !tokens.data) return <p className="muted" role="status">Looking for tokens that stop…</p>;
  if (role.data !== "org_member") {
    return (
      <p>
        {own ? "You are" : `${member.name} is`} an {roleWord(role.data)} of {project.organization.name}. All rights in {project.name}{" "}
        stay, and no token or key stops.
      </p>
    );
  }
  const stopped = tokens.data.rows.filter((token) => token.createdBy.id === member.id && isAccepted(token, now));
  return (
    <>
      {stopped.length > 0
        ? <TokenList rows={stopped} total={stopped.length} words={["CLI token stops", "CLI tokens stop"]} />
        : <p>No CLI token stops.</p>}
      <p className="muted">
        Only the role in this project ends. Tokens and keys of a member without a role are refused until the member has a role again.
      </p>
    </>
  );
}
