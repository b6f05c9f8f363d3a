import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../../api/account";
import { useProject } from "../project_context";
import { list } from "../project_queries";

interface Named {
  id: string;
  name: string;
}

/** Returns the name of a user. Administrators of the organisation need not be members of the project. */
function useMemberName(id: string): string {
  const { pages, key } = useProject();
  const { user } = useAccount();
  const members = useQuery({
    queryKey: [key, "members", "names"], staleTime: 300_000,
    queryFn: ({ signal }) =>
      list<Named>(pages.GET("/dashboard/v1/project/members", { params: { query: { limit: 100 } }, signal })),
  });
  return id === user.id ? user.name : members.data?.rows.find((one) => one.id === id)?.name ?? "an administrator";
}

/** The name of a user, which this reads only where it stands. */
export function MemberName({ id }: { id: string }) {
  return <>{useMemberName(id)}</>;
}
