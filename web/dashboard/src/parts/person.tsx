import { Sign } from "./icon";

interface PersonProps {
  name: string;
  email: string;
  own: boolean;
  verified: boolean;
  disabled: boolean;
}

/** Returns one or two letters for a name. */
export const initialsOf = (name: string): string =>
  name.split(/\s+/).map((word) => word.charAt(0)).filter(Boolean).slice(0, 2).join("").toUpperCase() || "?";

/** A member of a list: name, address, and what is wrong with the account. */
export function Person({ name, email, own, verified, disabled }: PersonProps) {
  const warning = disabled ? "Banned by the operator" : verified ? undefined : "Address not verified";
  return (
    <div className="row row-tight g-3">
      <span className="avatar" aria-hidden="true">{initialsOf(name)}</span>
      <div className="cell-name">
        <span className="medium wrap-any"><bdi>{name}</bdi> {own && <span className="faint">(you)</span>}</span>
        <span className="cell-sub wrap-any">{email}</span>
        {warning && <span className="small state s-warning"><Sign name="degraded" look="s-warning" />{warning}</span>}
      </div>
    </div>
  );
}
