import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountQuery } from "../../api/account";
import { account as client, prompt, take, transport } from "../../api/services";
import type { OpenPrompt } from "../../api/sign_in_prompt";
import { AppDialog } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { SignInMethods } from "./methods";
import { signInSentence } from "./sentences";
import { proceed } from "./sign_in_gate";

/** Signs in over the page and then repeats the requests that wait, so a session that ends costs nobody a typed word. */
export default function SignInDialog({ open }: { open: OpenPrompt }) {
  const { data: account } = useQuery({ ...accountQuery, enabled: false });
  const holder = account?.user.id;
  const email = account?.user.email;
  const ended = open.reason === "ended";
  return (
    <AppDialog title={ended ? "Your session ended" : "Sign in again to continue"} onClose={() => prompt.settle(false)} keep={ended}>
      <div className="dialog-body">
        <p className="muted">
          {ended
            ? <>Sign in as <strong>{email}</strong> to continue. Your changes are kept and saved after the sign-in.</>
            : <>This act needs a fresh sign-in as <strong>{email}</strong>. It continues right after it.</>}
        </p>
        {ended
          ? <SignInMethods
              returnTo={location.pathname + location.search} email={email}
              onSignedIn={(result) => proceed(result.user.id, holder)}
            />
          : <FreshSignIn email={email ?? ""} methods={open.error.details.map((one) => one.message)} />}
      </div>
      <div className="dialog-foot">
        {ended
          ? <button className="btn btn-quiet" type="button" onClick={() => location.replace("/app/sign-in")}>Leave the page</button>
          : <button className="btn" type="button" onClick={() => prompt.settle(false)}>Cancel</button>}
      </div>
    </AppDialog>
  );
}

function FreshSignIn({ email, methods }: { email: string; methods: string[] }) {
  const [password, setPassword] = useState("");
  // The dialog's own requests must not ask for the dialog.
  const quiet = transport.withoutSignIn();
  const byPassword = useMutation({
    mutationFn: () => take(client.POST("/dashboard/v1/me/fresh", { body: { password }, fetch: quiet.send })),
    onSuccess: () => prompt.settle(true),
  });
  const byProvider = useMutation({
    mutationFn: () =>
      take(client.POST("/dashboard/v1/me/fresh/oidc", { body: { returnTo: location.pathname + location.search }, fetch: quiet.send })),
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password && !byPassword.isPending) byPassword.mutate();
  };
  const provider = methods.find((one) => one.startsWith("oidc"));
  if (provider) {
    return (
      <>
        <button className="btn btn-primary btn-l" type="button" onClick={() => byProvider.mutate()} aria-disabled={byProvider.isPending}>
          <Icon name="building" />
          Continue at the identity provider
        </button>
        <p className="small faint">The browser leaves this page. Copy what you have typed first.</p>
        {byProvider.error && <p className="field-error" role="alert">{signInSentence(byProvider.error)}</p>}
      </>
    );
  }
  return (
    <form className="stack" method="post" noValidate onSubmit={submit}>
      <input className="vh" type="email" name="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
      <TextField
        label="Password" name="password" type="password" autoComplete="current-password" large value={password}
        onChange={setPassword} autoFocus error={byPassword.error ? signInSentence(byPassword.error) : undefined}
      />
      <button className="btn btn-primary btn-l" type="submit" aria-disabled={!password || byPassword.isPending}>Continue</button>
    </form>
  );
}
