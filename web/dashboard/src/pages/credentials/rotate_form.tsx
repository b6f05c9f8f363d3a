import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { AsApi } from "../../parts/as_api";
import { ActError } from "../../parts/feedback";
import { SelectField } from "../../parts/field";
import { Moment } from "../../parts/time";
import type { Credential, CredentialKind, Made } from "./credential_kind";
import { ExpiryField } from "./expiry_field";

const GRACES = [
  ["0", "End it at once"], ["3600", "1 hour"], ["86400", "1 day"], ["604800", "7 days"],
] as const;

interface RotateProps {
  credential: Credential;
  kind: CredentialKind;
  onMade: (made: Made) => void;
}

/** The first step of a rotation: how the present secret ends. */
export function RotateForm({ credential, kind, onMade }: RotateProps) {
  const client = useQueryClient();
  const [life, setLife] = useState("keep");
  const [grace, setGrace] = useState("86400");
  const [firstUse, setFirstUse] = useState(true);
  const body = {
    graceSeconds: Number(grace),
    ...(firstUse && grace !== "0" ? { endPrevious: "first_use" as const } : {}),
    ...(life !== "keep" ? { expiresIn: Number(life) } : {}),
  };
  const rotate = useMutation({
    mutationFn: () => kind.rotate(credential.id, body),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: kind.listKey });
      onMade(made);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!rotate.isPending) rotate.mutate();
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      {rotate.error && <ActError title={`The ${kind.thing} was not rotated`} error={rotate.error} />}
      <p className="muted">
        The {kind.thing} <strong dir="auto">{credential.name}</strong> (<code>{credential.start}</code>) gets a new secret.{" "}
        {credential.lastUsedAt
          ? <>The present one was last used at <Moment value={credential.lastUsedAt} /></>
          : "The present one was never used"}
        {credential.lastUsedIp && ` from ${credential.lastUsedIp}`}.
      </p>
      <SelectField
        label="The present secret works for" name="graceSeconds" value={grace} onChange={setGrace} options={GRACES}
        hint={grace === "0" ? "Programs that use it are refused until they have the new one." : "Replace it everywhere within this time."}
      />
      {grace !== "0" && (
        <label className="check">
          <input type="checkbox" name="firstUse" checked={firstUse} onChange={(event) => setFirstUse(event.target.checked)} />
          <span>End it as soon as the new secret is used for the first time</span>
        </label>
      )}
      <ExpiryField value={life} onChange={setLife} keep={credential.expiresAt ? "Keep the present date" : "Does not expire"} />
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={rotate.isPending}>Rotate {kind.thing}</button>
        <Link className="btn" to={kind.listPath}>Cancel</Link>
      </div>
      <AsApi views={[{ request: { method: "POST", path: kind.rotateOperation(credential.id), body } }]} />
    </form>
  );
}
