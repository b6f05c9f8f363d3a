import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { DashboardSchemas } from "../../../../api/client";
import { account, take } from "../../api/services";
import { ActError, LoadError } from "../../parts/feedback";
import { toast } from "../../parts/toasts";
import { useMethods } from "../sign_in/methods";
import { useOrganization } from "./organization_context";

type Policy = DashboardSchemas["SignInPolicy"];

/** The sessions that the organisation admits. Only owners change it. */
export function SignInPolicy() {
  const { organization } = useOrganization();
  const client = useQueryClient();
  const methods = useMethods();
  const saved = organization.signInPolicy;
  const [signIn, setSignIn] = useState(saved.signIn);
  const [chosen, setChosen] = useState<readonly string[]>(saved.providers ?? []);
  const save = useMutation({
    mutationFn: (body: Policy) => take(account.PUT("/dashboard/v1/organizations/{organizationId}/sign-in-policy", {
      params: { path: { organizationId: organization.id } }, body,
    })),
    onSuccess: (now) => {
      client.setQueryData(["organization", organization.id], now);
      toast({ text: "The sign-in policy was saved." });
    },
  });
  const known = methods.data?.oidc ?? [];
  // A provider of the policy that this service does not know any more stays until somebody clears it.
  const unknown = (saved.providers ?? []).filter((id) => !known.some((one) => one.id === id)).map((id) => ({ id, name: id }));
  const providers = [...known, ...unknown];
  const policy: Policy = signIn === "oidc" ? { signIn, providers: [...chosen].sort() } : { signIn };
  const before: Policy = saved.signIn === "oidc" ? { signIn: "oidc", providers: [...(saved.providers ?? [])].sort() } : { signIn: "any" };
  const changed = JSON.stringify(policy) !== JSON.stringify(before);
  const owner = organization.role === "org_owner";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && owner && !save.isPending) save.mutate(policy);
  };
  const toggle = (id: string, on: boolean) => setChosen((old) => (on ? [...old, id] : old.filter((one) => one !== id)));
  return (
    <section className="section" aria-labelledby="policy-head">
      <h2 id="policy-head">Sign-in policy</h2>
      <form className="form" onSubmit={submit}>
        {save.error && <ActError title="The sign-in policy was not saved" error={save.error} />}
        {methods.error && <LoadError what="The identity providers" error={methods.error} retry={() => void methods.refetch()} />}
        <fieldset className="stack g-2" disabled={!owner}>
          <legend className="vh">Sessions that are admitted</legend>
          <label className="check">
            <input type="radio" name="signIn" checked={signIn === "any"} onChange={() => setSignIn("any")} />
            <span>Any method</span>
          </label>
          {(providers.length > 0 || saved.signIn === "oidc") && (
            <label className="check">
              <input type="radio" name="signIn" checked={signIn === "oidc"} onChange={() => setSignIn("oidc")} />
              <span>Only identity providers</span>
            </label>
          )}
        </fieldset>
        {signIn === "oidc" && providers.length > 0 && (
          <fieldset className="stack g-2" disabled={!owner}>
            <legend className="label">Admitted providers; none selected admits all</legend>
            {providers.map((one) => (
              <label className="check" key={one.id}>
                <input
                  type="checkbox" name={`provider-${one.id}`} checked={chosen.includes(one.id)}
                  onChange={(event) => toggle(one.id, event.target.checked)}
                />
                <span>{one.name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <p className="small muted">
          {!owner && "Only owners can change it. "}
          {owner && methods.data && providers.length === 0 && "This service has no identity provider, so there is nothing to choose. "}
          Sessions that do not meet the policy are refused in {organization.name} and its projects immediately. It does not apply to
          tokens.
        </p>
        {owner && providers.length > 0 && (
          <div className="form-actions">
            <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save policy</button>
          </div>
        )}
      </form>
    </section>
  );
}
