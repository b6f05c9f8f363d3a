import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { Crumbs, PageHead } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { VariableForm } from "./variable_form";
import { NEW_VARIABLE, bodyOf, errorsOf, secretsOf } from "./variable_values";

function NewVariable() {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [values, setValues] = useState(NEW_VARIABLE);
  const [tried, setTried] = useState(false);
  useTitle("Create variable", project.name);
  const create = useMutation({
    mutationFn: () => take(api.POST("/api/variables", { body: { ...bodyOf(values), value: values.value } })),
    // Nothing keeps the value of a secret.
    gcTime: 0,
    onSuccess: async (variable) => {
      toast({ text: `Variable ${variable.key} was created.` });
      void client.invalidateQueries({ queryKey: [key, "variables"] });
      await navigate({ to: path("variables"), ignoreBlocker: true });
    },
  });
  const submit = () => {
    setTried(true);
    if (!create.isPending && errorsOf(values).size === 0) create.mutate();
  };
  const changed = !create.isSuccess && JSON.stringify(values) !== JSON.stringify(NEW_VARIABLE);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Variables", to: path("variables") }, { word: "Create variable" }]} />
      <PageHead title="Create variable" />
      <VariableForm
        values={values} stored={false} tried={tried} changed={changed} refusal={create.error} failure="The variable was not created"
        submit={submit} set={(part) => {
          if (create.error) create.reset();
          setValues((old) => ({ ...old, ...part }));
        }}
      >
        <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create variable</button>
        <Link className="btn btn-quiet" to={path("variables")}>Cancel</Link>
      </VariableForm>
      {changed && (
        <AsApi views={[{ request: { method: "POST", path: "/api/variables", body: bodyOf(values), secrets: secretsOf(values) } }]} />
      )}
    </div>
  );
}

export default function NewVariablePage() {
  return <NeedsEditor><NewVariable /></NeedsEditor>;
}
