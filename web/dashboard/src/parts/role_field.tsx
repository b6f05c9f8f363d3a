import { useEffect, useRef, useState } from "react";
import { SelectField } from "./field";

interface RoleFieldProps<Role extends string> {
  /** The name of the member. */
  name: string;
  role: Role;
  options: readonly (readonly [Role, string])[];
  setRole: (role: Role) => void;
}

/** The role of a member. A chosen role counts only after a press of the button, because one arrow key chooses in a closed list. */
export function RoleField<Role extends string>({ name, role, options, setRole }: RoleFieldProps<Role>) {
  const [chosen, setChosen] = useState(role);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => setChosen(role), [role]);
  const set = () => {
    // The button goes away when the role is set.
    place.current?.querySelector("select")?.focus();
    setRole(chosen);
  };
  return (
    <div className="row g-2" ref={place}>
      <SelectField
        label={`Role of ${name}`} name="role" hideLabel value={chosen} options={options} onChange={(next) => setChosen(next as Role)}
      />
      {chosen !== role && (
        <>
          <button className="btn btn-s btn-primary" type="button" aria-label={`Set role of ${name}`} onClick={set}>Set role</button>
          <button className="btn btn-s" type="button" aria-label={`Keep role of ${name}`} onClick={() => setChosen(role)}>Keep</button>
        </>
      )}
    </div>
  );
}
