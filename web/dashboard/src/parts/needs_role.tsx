import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Blank } from "./feedback";
import { roleWord } from "./states";
import { useTitle } from "./use_title";

interface NeedsRoleProps {
  /** True if the role permits the page. */
  permitted: boolean;
  /** The project or the organisation, and the caller's role in it. */
  place: { name: string; role: string };
  needs: "editor" | "administrator";
  /** The people who can give the role, as the subject of a sentence. */
  giver: string;
  /** The address of the page that lists these people. */
  members: string;
  children: ReactNode;
}

/** The role that a page needs, for members without it. */
function Refusal({ place, needs, giver, members }: Omit<NeedsRoleProps, "permitted" | "children">) {
  useTitle("No permission", place.name);
  return (
    <div className="page">
      <div className="panel">
        <Blank page icon="shield" title="Your role does not permit this page">
          <p>
            Your role in {place.name} is {roleWord(place.role)}. This page needs the role {needs}. {giver} can give it to you.
          </p>
          <div className="row"><Link className="btn" to={members}>Show the members</Link></div>
        </Blank>
      </div>
    </div>
  );
}

/** Shows the role that a page needs to members without it, before the page asks the service. */
export function NeedsRole({ permitted, children, ...refusal }: NeedsRoleProps) {
  return permitted ? children : <Refusal {...refusal} />;
}
