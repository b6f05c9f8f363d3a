import type { ReactNode } from "react";
import { NeedsRole } from "../../parts/needs_role";
import { useOrganization } from "./organization_context";

/** A page for administrators and owners of the organisation. */
export function NeedsAdmin({ children }: { children: ReactNode }) {
  const { organization, admin, path } = useOrganization();
  return (
    <NeedsRole
      permitted={admin} place={organization} needs="administrator" giver="An owner of the organisation" members={path("members")}
    >
      {children}
    </NeedsRole>
  );
}
