import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { DashboardSchemas } from "../../../../api/client";
import { signedIn } from "../../api/account";
import { anonymous, take } from "../../api/services";
import { LoadError } from "../../parts/feedback";
import { TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { RECOVERY, Recovery } from "./recovery";
import { signInSentence } from "./sentences";

const LAST_METHOD = "svc_sign_in_method";

type SignedIn = DashboardSchemas["SignedIn"];

/** The last method on this device: `password` or the id of a provider. It is no secret. */
export function lastMethod(): string | null {
  return localStorage.getItem(LAST_METHOD);
}

export function useMethods() {
  return useQuery({
    queryKey: ["sign-in-methods"],
    queryFn: ({ signal }) => take(anonymous.GET("/dashboard/v1/sign-in/methods", { signal })),
    staleTime: 60_000,
  });
}

interface MethodsProps {
  returnTo: string;
  /** The address is fixed when a session is renewed. */
  email?: string;
  onSignedIn: (result: SignedIn) => void;
  /** Starts a sign-in at a provider; returns the address to which the browser goes. */
  startProvider?: (provider: string) => Promise<string>;
  /** Shows the form that asks for a link by mail; without it there is no link to that form. */
  recovery?: boolean;
}

/** Buttons of the providers, the last used method first, and the password form. */
export function SignInMethods({ returnTo, email: fixed, onSignedIn, startProvider, recovery }: MethodsProps) {
  const methods = useMethods();
  const [email, setEmail] = useState(fixed ?? "");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const byPassword = useMutation({
    mutationFn: () => take(anonymous.POST("/dashboard/v1/sign-in/password", { body: { email, password } })),
    onSuccess: (result) => {
      localStorage.setItem(LAST_METHOD, "password");
      signedIn(result.user.id, { tell: true });
      onSignedIn(result);
    },
  });
  const byProvider = useMutation({
    mutationFn: async (provider: string) => {
      if (startProvider) return startProvider(provider);
      const started = await take(anonymous.POST("/dashboard/v1/sign-in/oidc/{provider}/start", {
        params: { path: { provider } }, body: { returnTo },
      }));
      return started.location;
    },
    onSuccess: (address, provider) => {
      localStorage.setItem(LAST_METHOD, provider);
      location.assign(address);
    },
  });
  if (methods.error) return <LoadError what="The sign-in methods" error={methods.error} retry={() => void methods.refetch()} />;
  if (!methods.data) return <p className="muted delayed" role="status">Loading sign-in methods</p>;
  if (recovery && methods.data.recovery) return <Recovery email={email} onEmail={setEmail} />;
  const last = lastMethod();
  const { oidc, password: hasPassword } = methods.data;
  const providers = [...oidc].sort((a, b) => Number(b.id === last) - Number(a.id === last));
  const lastProvider = providers.find((one) => one.id === last);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (byPassword.isPending) return;
    setTried(!email || !password);
    if (email && password) byPassword.mutate();
    else event.currentTarget.querySelector<HTMLInputElement>(`[name=${email ? "password" : "email"}]`)?.focus();
  };
  const passwordFirst = providers.length === 0 || (last === "password" && !lastProvider);
  return (
    <>
      {providers.map((one) => (
        <button
          className={`btn btn-l btn-block${one.id === last ? " btn-primary" : ""}`} type="button" key={one.id}
          aria-disabled={byProvider.isPending} onClick={() => byProvider.mutate(one.id)}
        >
          <Icon name="building" />
          {one.name}
          {one.id === last && <span className="vh">, your last method</span>}
        </button>
      ))}
      {lastProvider && <p className="small faint">You signed in with {lastProvider.name} last time on this device.</p>}
      {byProvider.error && <p className="field-error" role="alert">{signInSentence(byProvider.error)}</p>}
      {providers.length > 0 && hasPassword && <p className="or">or with a password</p>}
      {hasPassword && (
        <form className="stack" method="post" noValidate onSubmit={submit}>
          <TextField
            label="E-mail" name="email" type="email" autoComplete="username" large value={email} onChange={setEmail}
            readOnly={fixed !== undefined} required autoFocus={fixed === undefined && passwordFirst}
            error={tried && !email ? "Enter your e-mail." : undefined}
          />
          <TextField
            label="Password" name="password" type="password" autoComplete="current-password" large value={password}
            onChange={setPassword} required autoFocus={fixed !== undefined}
            error={tried && !password ? "Enter your password." : !tried && byPassword.error ? signInSentence(byPassword.error) : undefined}
          />
          {methods.data.recovery && recovery !== undefined && (
            <div className="row"><a className="more" href={RECOVERY}>Forgot your password?</a></div>
          )}
          <button
            className={`btn btn-l btn-block${passwordFirst ? " btn-primary" : ""}`} type="submit"
            aria-disabled={byPassword.isPending}
          >
            Sign in with password
          </button>
        </form>
      )}
      {!hasPassword && providers.length === 0 && (
        <p className="muted">The operator has configured no method. Ask the operator for a sign-in link.</p>
      )}
    </>
  );
}
