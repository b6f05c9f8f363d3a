import type { ReactNode } from "react";
import { Blank } from "../../parts/feedback";
import { roleWord } from "../../parts/states";
import { useOrganization } from "./organization_context";

/** Shows the role that a page needs to members without it, before it asks the service. */
export function NeedsAdmin({ children }: { children: ReactNode }) {
  const { organization, admin } = useOrganization();
  if (admin) return children;
  return (
    <div className="page">
      <div className="panel">
        <Blank page icon="shield" title="Your role does not permit this page">
          <p>
            Your role in {organization.name} is {roleWord(organization.role)}. This page needs the role administrator. An owner of
            the organisation can give it to you.
          </p>
        </Blank>
      </div>
    </div>
  );
}
