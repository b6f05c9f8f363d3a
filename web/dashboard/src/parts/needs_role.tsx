import type { ReactNode } from "react";
import { Blank } from "./feedback";
import { roleWord } from "./states";

interface NeedsRoleProps {
  /** True if the role permits the page. */
  permitted: boolean;
  /** The project or the organisation, and the caller's role in it. */
  place: { name: string; role: string };
  needs: "editor" | "administrator";
  /** Who can give the role. */
  giver: string;
  /** A link to the people who have the role. */
  people?: ReactNode;
  children: ReactNode;
}

/** Shows the role that a page needs to members without it, before the page asks the service. */
export function NeedsRole({ permitted, place, needs, giver, people, children }: NeedsRoleProps) {
  if (permitted) return children;
  return (
    <div className="page">
      <div className="panel">
        <Blank page icon="shield" title="Your role does not permit this page">
          <p>
            Your role in {place.name} is {roleWord(place.role)}. This page needs the role {needs}. {giver} can give it to you.
          </p>
          {people && <div className="row">{people}</div>}
        </Blank>
      </div>
    </div>
  );
}
