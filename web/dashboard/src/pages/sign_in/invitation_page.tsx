import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { DashboardSchemas } from "../../../../api/client";
import { signedIn } from "../../api/account";
import { ApiError } from "../../api/errors";
import { anonymous, take } from "../../api/services";
import { LoadError } from "../../parts/feedback";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { roleWord } from "../../parts/states";
import { Moment } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { Gate } from "./gate";
import { takeSecret } from "./link_secret";
import { SignInMethods } from "./methods";
import { signInSentence } from "./sentences";

const secret = takeSecret("/app/invitation");

type Preview = DashboardSchemas["InvitationPreview"];

const isOver = (error: Error | null) => error instanceof ApiError && error.code === "link_over";

/** Starts a sign-in at a provider that accepts the invitation; returns the address to which the browser goes. */
async function startProvider(provider: string): Promise<string> {
  const started = await take(anonymous.POST("/dashboard/v1/sign-in/oidc/{provider}/start", {
    params: { path: { provider } }, body: { returnTo: "/app/", invitation: secret },
  }));
  return started.location;
}

/** For an address with an account: the session of that address accepts; without one, the person signs in first. */
function ExistingAccount({ email }: { email: string }) {
  const [mustSignIn, setMustSignIn] = useState(false);
  const accept = useMutation({
    mutationFn: () => take(anonymous.POST("/dashboard/v1/invitations/accept", { body: { token: secret } })),
    onSuccess: () => location.replace("/app/"),
    onError: (error) => setMustSignIn(error instanceof ApiError && (error.status === 401 || error.code === "permission_denied")),
  });
  if (mustSignIn) {
    return (
      <>
        <p className="muted">Sign in to your account to accept the invitation.</p>
        <SignInMethods returnTo="/app/" email={email} onSignedIn={() => accept.mutate()} startProvider={startProvider} />
      </>
    );
  }
  return (
    <>
      {accept.error && <p className="field-error" role="alert">{accept.error.message}</p>}
      <button className="btn btn-primary btn-l btn-block" type="button" onClick={() => accept.mutate()} aria-disabled={accept.isPending}>
        Accept invitation
      </button>
    </>
  );
}

function NewAccount({ preview }: { preview: Preview }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [missing, setMissing] = useState(false);
  const create = useMutation({
    mutationFn: () => take(anonymous.POST("/dashboard/v1/sign-in/invitation", { body: { token: secret, name: name.trim(), password } })),
    onSuccess: (result) => {
      signedIn(result.user.id, { tell: true });
      location.replace("/app/");
    },
  });
  const go = useMutation({ mutationFn: startProvider, onSuccess: (address) => location.assign(address) });
  const details = detailsByField(create.error);
  const [nameError, passwordError] = [details.get("/name"), details.get("/password")];
  const other = create.error && !nameError && !passwordError ? signInSentence(create.error) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (create.isPending) return;
    setMissing(!name.trim() || !password);
    if (name.trim() && password) create.mutate();
    else event.currentTarget.querySelector<HTMLInputElement>(`[name=${name.trim() ? "password" : "name"}]`)?.focus();
  };
  const { oidc, password: hasPassword } = preview.methods;
  return (
    <>
      {oidc.map((one) => (
        <button className="btn btn-l btn-block" type="button" key={one.id} onClick={() => go.mutate(one.id)} aria-disabled={go.isPending}>
          <Icon name="building" />
          {one.name}
        </button>
      ))}
      {go.error && <p className="field-error" role="alert">{signInSentence(go.error)}</p>}
      {oidc.length > 0 && hasPassword && <p className="or">or with a password</p>}
      {hasPassword && (
        <form className="stack" method="post" noValidate onSubmit={submit}>
          <input
            className="vh" type="email" name="email" autoComplete="username" value={preview.email} readOnly tabIndex={-1} aria-hidden
          />
          <TextField
            label="Your name" name="name" autoComplete="name" large value={name} onChange={setName} maxLength={255}
            error={missing && !name.trim() ? "Enter your name." : nameError ? sentence(nameError) : undefined}
          />
          <TextField
            label="New password" name="password" type="password" autoComplete="new-password" large value={password} onChange={setPassword}
            hint="15 characters or more, unless the operator asks for another length."
            error={missing && !password ? "Enter a password." : missing ? undefined : passwordError ? sentence(passwordError) : other}
          />
          <button
            className={`btn btn-l btn-block${oidc.length ? "" : " btn-primary"}`} type="submit" aria-disabled={create.isPending}
          >
            Create account
          </button>
        </form>
      )}
      {!hasPassword && oidc.length === 0 && (
        <p className="muted">No method of sign-in is open to this address. Ask the person who invited you.</p>
      )}
    </>
  );
}

/** Shows an invitation. Only a click accepts it. */
export function InvitationPage() {
  useTitle("Invitation");
  const preview = useQuery({
    queryKey: ["invitation"],
    queryFn: () => take(anonymous.POST("/dashboard/v1/sign-in/invitation/preview", { body: { token: secret } })),
    enabled: secret !== "",
    staleTime: Infinity,
  });
  if (!secret || isOver(preview.error)) {
    return (
      <Gate title="This invitation does not work any more">
        <p className="muted">It was accepted, has expired or was replaced, or its address is incomplete. Ask for a new one.</p>
        <a className="btn btn-l btn-block" href="/app/sign-in">Sign in</a>
      </Gate>
    );
  }
  if (preview.error) {
    return <Gate title="Invitation"><LoadError what="The invitation" error={preview.error} retry={() => void preview.refetch()} /></Gate>;
  }
  if (!preview.data) return <Gate title="Invitation"><p className="muted delayed" role="status">Loading the invitation</p></Gate>;
  const { organization, invitedBy, role, email, account, expiresAt } = preview.data;
  return (
    <Gate title={`Join ${organization.name}`} foot={<>The invitation works until <Moment value={expiresAt} form="minutes" />.</>}>
      <p className="muted wrap-any">
        {invitedBy} invites {email} as {roleWord(role)} of {organization.name}.
      </p>
      {account ? <ExistingAccount email={email} /> : <NewAccount preview={preview.data} />}
    </Gate>
  );
}
