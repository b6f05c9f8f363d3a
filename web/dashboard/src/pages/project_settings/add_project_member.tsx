import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { BACKGROUND } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { AppDialog } from "../../parts/dialog";
import { hasWords, searchPages } from "../../parts/search_pages";
import { type Choice, SHOWN, SearchSelect } from "../../parts/search_select";
import { readMembers } from "../organization/organization_queries";
import { useProject } from "../project_context";
import { ROLES, type Role } from "./project_roles";

const NOBODY: Choice = { id: "", word: "" };

interface AddProps {
  /** Users who have a role already. */
  present: ReadonlySet<string>;
  add: (userId: string, role: Role) => Promise<unknown>;
  onClose: () => void;
}

/** Gives a member of the organisation a role in the project. */
export function AddProjectMember({ present, add, onClose }: AddProps) {
  const { project } = useProject();
  const { organization } = project;
  const [chosen, setChosen] = useState<Choice>();
  const [missing, setMissing] = useState(false);
  const [role, setRole] = useState<Role>("project_viewer");
  const search = async (words: string, signal: AbortSignal) => {
    const found = await searchPages(
      (page) => readMembers(organization.id, page, BACKGROUND, signal),
      (one) => one.role === "org_member" && !present.has(one.id) && hasWords(words, one.name, one.email), SHOWN,
    );
    return { ...found, rows: found.rows.map((one) => ({ id: one.id, word: one.name, note: one.email })) };
  };
  const write = useMutation({ mutationFn: (userId: string) => add(userId, role), onSuccess: onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!chosen);
    if (chosen && !write.isPending) write.mutate(chosen.id);
  };
  return (
    <AppDialog title={`Add a member to ${project.name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body">
          {write.error && <ActError title="The member was not added" error={write.error} />}
          <SearchSelect
            label="Member" name="member" placeholder="Search by name or e-mail" chosen={chosen ?? NOBODY}
            queryKey={[organization.id, "members", "addable", [...present].sort().join()]} search={search} onChoose={setChosen}
            error={missing && !chosen ? "Choose a member." : undefined}
            hint={`Members of ${organization.name} without a role here. An administrator of the organisation can invite others.`}
          />
          <SelectField
            label="Role" name="role" value={role} options={ROLES} onChange={(value) => setRole(value as Role)}
            hint="Viewers read. Editors change jobs and start runs. Administrators also manage members and runners."
          />
        </div>
        <div className="dialog-foot">
          <button className="btn" type="button" onClick={onClose}>Cancel</button>
          <button className="btn btn-primary" type="submit" aria-disabled={write.isPending}>Add member</button>
        </div>
      </form>
    </AppDialog>
  );
}
