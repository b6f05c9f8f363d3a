import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { AsApi } from "../../parts/as_api";
import { Conflict } from "../../parts/conflict";
import { PageError, Skeleton } from "../../parts/feedback";
import { Crumbs, PageHead } from "../../parts/page";
import { Moment } from "../../parts/time";
import { toast, warn } from "../../parts/toasts";
import { useTitle } from "../../parts/use_title";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { VariableForm } from "./variable_form";
import { type VariableVersion, readVariable } from "./variable_queries";
import {
  type VariableBody, type VariableField, type VariableValues, bodyOf, changesOf, differencesOf, errorsOf, secretsOf, valuesOf, withSaved,
} from "./variable_values";

const FIELDS: readonly VariableField[] = ["key", "value", "isSecret", "description"];
const baseOf = ({ variable }: VariableVersion): VariableBody => bodyOf(valuesOf(variable));

function EditForm({ version }: { version: VariableVersion }) {
  const { api, key, path } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [base, setBase] = useState(version);
  const [values, setValues] = useState<VariableValues>(() => valuesOf(version.variable));
  const [saved, setSaved] = useState<VariableVersion>();
  const [tried, setTried] = useState(false);
  const { id } = version.variable;
  const changes = changesOf(baseOf(base), bodyOf(values));
  const save = useMutation({
    mutationFn: ({ body, start }: { body: Partial<VariableBody>; start: VariableVersion }) =>
      take(api.PATCH("/api/variables/{id}", { params: { path: { id }, header: { "If-Match": start.etag } }, body })),
    // Nothing keeps the value of a secret.
    gcTime: 0,
    onSuccess: async (variable) => {
      toast({ text: `Variable ${variable.key} was saved.` });
      void client.invalidateQueries({ queryKey: [key, "variables"] });
      await navigate({ to: path("variables"), ignoreBlocker: true });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      await readVariable(api, id).then(setSaved, (reason: Error) => warn(`The saved version could not be loaded. ${reason.message}`));
    },
  });
  const changed = !save.isSuccess && Object.keys(changes).length > 0;
  const send = (next: VariableValues, start: VariableVersion) => {
    const body = changesOf(baseOf(start), bodyOf(next));
    setTried(true);
    if (!save.isPending && Object.keys(body).length > 0 && errorsOf(next).size === 0) save.mutate({ body, start });
  };
  const rebase = (next: VariableVersion, fields: readonly VariableField[]) => {
    const merged = withSaved(values, valuesOf(next.variable), fields);
    setBase(next);
    setValues(merged);
    setSaved(undefined);
    save.reset();
    return merged;
  };
  const refusal = save.error instanceof ApiError && save.error.status === 412 ? null : save.error;
  return (
    <>
      {saved && (
        <Conflict
          thing="variable" differences={differencesOf({ base: baseOf(base), saved: baseOf(saved), mine: bodyOf(values) })}
          savedAt={saved.variable.updatedAt} busy={save.isPending} load={() => rebase(saved, FIELDS)}
          save={(fields) => send(rebase(saved, fields), saved)}
        />
      )}
      <VariableForm
        values={values} stored={base.variable.isSecret} tried={tried} changed={changed} refusal={refusal}
        failure="The variable was not saved" submit={() => send(values, base)}
        set={(part) => {
          if (save.error) save.reset();
          setValues((old) => ({ ...old, ...part }));
        }}
      >
        <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save variable</button>
        <Link className="btn btn-quiet" to={path("variables")}>Cancel</Link>
      </VariableForm>
      {changed && (
        <AsApi
          views={[{
            request: {
              method: "PATCH", path: `/api/variables/${id}`, headers: { "If-Match": base.etag }, body: changes,
              secrets: changes.value === undefined ? [] : secretsOf(values),
            },
          }]}
        />
      )}
    </>
  );
}

function EditVariable() {
  const { api, key, path, project } = useProject();
  const { variableId } = useParams({ from: "/signed-in/$org/$project/variables/$variableId" });
  // The form starts from one version and keeps it: only a save or a conflict replaces it.
  const found = useQuery({
    queryKey: [key, "variable-edit", variableId], queryFn: ({ signal }) => readVariable(api, variableId, signal), staleTime: Infinity,
    gcTime: 0,
  });
  const variable = found.data?.variable;
  useTitle("Edit", variable?.key, project.name);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Variables", to: path("variables") }, { word: variable?.key ?? "Variable" }]} />
      <PageHead
        title={`Edit ${variable?.key ?? "variable"}`}
        lead={variable && <>Created at <Moment value={variable.createdAt} />, changed at <Moment value={variable.updatedAt} />.</>}
      />
      {found.error && (
        <PageError
          thing="This variable" what="The variable" error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={path("variables")}>Show all variables</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name="the variable" rows={4} />}
      {found.data && <EditForm key={variableId} version={found.data} />}
    </div>
  );
}

export default function EditVariablePage() {
  return <NeedsEditor><EditVariable /></NeedsEditor>;
}
