import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { signedIn } from "../../api/account";
import { ApiError } from "../../api/errors";
import { anonymous, take } from "../../api/services";
import { LoadError } from "../../parts/feedback";
import { TextField } from "../../parts/field";
import { useTitle } from "../../parts/use_title";
import { Moment } from "../../parts/time";
import { Gate } from "./gate";
import { takeSecret } from "./link_secret";
import { signInSentence } from "./sentences";

const secret = takeSecret("/app/link");

const PURPOSES = {
  first: "This link signs you in for the first time.",
  recovery: "This link lets you back into your account.",
  dev: "This link works until the development server ends.",
};

/** Shows whose link it is. Only a click uses it, so that a scanner of mails does not spend it. */
export function LinkPage() {
  useTitle("Sign in by link");
  const [password, setPassword] = useState("");
  const preview = useQuery({
    queryKey: ["link"],
    queryFn: () => take(anonymous.POST("/dashboard/v1/sign-in/link/preview", { body: { token: secret } })),
    enabled: secret !== "",
    staleTime: Infinity,
  });
  const use = useMutation({
    mutationFn: () =>
      take(anonymous.POST("/dashboard/v1/sign-in/link", { body: { token: secret, ...(password ? { password } : {}) } })),
    onSuccess: (result) => {
      signedIn(result.user.id, { tell: true });
      location.replace("/app/");
    },
  });
  const error = preview.error ?? use.error;
  if (!secret || (error instanceof ApiError && error.code === "link_over")) {
    return (
      <Gate title="This link does not work any more">
        <p className="muted">It was used, has expired or was replaced, or its address is incomplete. Ask for a new one.</p>
        <a className="btn btn-l btn-block" href="/app/sign-in">Sign in another way</a>
      </Gate>
    );
  }
  if (preview.error) {
    return (
      <Gate title="Sign in by link">
        <LoadError what="The link" error={preview.error} retry={() => void preview.refetch()} />
      </Gate>
    );
  }
  if (!preview.data) return <Gate title="Sign in by link"><p className="muted delayed" role="status">Loading the link</p></Gate>;
  const { name, email, kind, expiresAt, setsPassword } = preview.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!use.isPending) use.mutate();
  };
  return (
    <Gate title={`Sign in as ${name}`} foot={<>The link works until <Moment value={expiresAt} form="minutes" />.</>}>
      <p className="muted wrap-any">{PURPOSES[kind]} The account is {email}.</p>
      <form className="stack" method="post" noValidate onSubmit={submit}>
        {setsPassword && (
          <>
            <input className="vh" type="email" name="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
            <TextField
              label="New password" name="password" type="password" autoComplete="new-password" large
              optional={kind !== "recovery"} value={password} onChange={setPassword}
              hint={kind === "recovery" ? "15 characters or more. It replaces the old one and ends your other sessions."
                : "15 characters or more. Without one you sign in by a provider, or by another link."}
              error={use.error ? signInSentence(use.error) : undefined}
            />
          </>
        )}
        {use.error && !setsPassword && <p className="field-error" role="alert">{signInSentence(use.error)}</p>}
        <button className="btn btn-primary btn-l btn-block" type="submit" aria-disabled={use.isPending}>
          Sign in
        </button>
      </form>
    </Gate>
  );
}
