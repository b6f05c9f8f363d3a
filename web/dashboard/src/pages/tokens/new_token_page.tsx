import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { take } from "../../api/services";
import { svcLine } from "../../parts/api_lines";
import { AsApi } from "../../parts/as_api";
import { ActError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { Crumbs, PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import { roleWord } from "../../parts/states";
import { useProject } from "../project_context";
import { NeedsEditor } from "../needs_project_role";
import { type Made, splitSecret } from "../credentials/credential_kind";
import { CredentialSecret } from "../credentials/credential_secret";
import { ExpiryField } from "../credentials/expiry_field";
import { useTokenKind } from "./token_kind";

const DEFAULT_LIFE = String(90 * 86_400);

function NewTokenForm({ onMade }: { onMade: (made: Made) => void }) {
  const { api, key, path, project } = useProject();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [life, setLife] = useState(DEFAULT_LIFE);
  const [missing, setMissing] = useState(false);
  const body = { name: name.trim(), ...(life ? { expiresIn: Number(life) } : {}) };
  const create = useMutation({
    mutationFn: () => take(api.POST("/api/cli-tokens", { body })),
    onSuccess: ({ token }) => {
      void client.invalidateQueries({ queryKey: [key, "tokens"] });
      onMade(splitSecret(token));
    },
  });
  useBlocker({
    shouldBlockFn: () => name !== "" && !create.isSuccess && !window.confirm("Leave the form? The name that you typed is lost."),
    enableBeforeUnload: () => name !== "" && !create.isSuccess,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    setMissing(name.trim() === "");
    if (name.trim()) create.mutate();
  };
  const detail = detailsByField(create.error).get("/name");
  const taken = create.error instanceof ApiError && create.error.code === "name_taken";
  const refused = detail ? sentence(detail) : taken ? "Another token has this name. Choose another one." : undefined;
  const nameError = missing ? "Enter a name." : refused;
  return (
    <form className="form" noValidate onSubmit={submit}>
      {create.error && !nameError && <ActError title="The token was not created" error={create.error} />}
      <TextField
        label="Name" name="name" value={name} onChange={(value) => (setName(value), setMissing(false))} autoFocus autoComplete="off"
        maxLength={100} error={nameError} hint="Where it will be stored, such as github-actions. Unique in the project."
      />
      <ExpiryField value={life} onChange={setLife} />
      <p className="small muted">
        The token gets your permissions in {project.name}: you are {roleWord(project.role)}. If your role changes, the permissions of
        the token change with it.
      </p>
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={create.isPending}>Create token</button>
        <Link className="btn" to={path("tokens")}>Cancel</Link>
      </div>
      {body.name && (
        <AsApi
          views={[{
            request: { method: "POST", path: "/api/cli-tokens", body },
            svc: svcLine(["token", "create", body.name], { "expires-in": life && `${life}s` }),
          }]}
        />
      )}
    </form>
  );
}

function NewToken() {
  const { path, project } = useProject();
  const [made, setMade] = useState<Made>();
  const kind = useTokenKind();
  useTitle(made ? "Token created" : "Create token", project.name);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Tokens", to: path("tokens") }, { word: made?.credential.name ?? "Create token" }]} />
      {made
        ? (
          <>
            <PageHead
              title={`Token created: ${made.credential.name}`}
              lead="This page shows the whole token once. Store it now. If you lose it, rotate the token."
            />
            <CredentialSecret made={made} kind={kind} role={`role ${roleWord(project.role)}`} />
          </>
        )
        : (
          <>
            <PageHead title="Create token" />
            <NewTokenForm onMade={setMade} />
          </>
        )}
    </div>
  );
}

export default function NewTokenPage() {
  return <NeedsEditor><NewToken /></NeedsEditor>;
}
