import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { anonymous, take } from "../../api/services";
import { TextField } from "../../parts/field";
import { useRefusalFocus } from "../../parts/use_refusal_focus";
import { durationText } from "../../time/format";
import { signInSentence } from "./sentences";

/** The hash of the sign-in page that asks for a link by mail. Back leads to the methods again. */
export const RECOVERY = "#recovery";

const FIELD = "recovery-email";

// The answer takes the place of the form, whose field had the focus.
const focus = (element: HTMLElement | null) => element?.focus();

interface RecoveryProps {
  email: string;
  onEmail: (email: string) => void;
}

/** Asks for a link by mail. The answer is the same for every address, so the words do not tell whether an account has it. */
export function Recovery({ email, onEmail }: RecoveryProps) {
  const [missing, setMissing] = useState(false);
  const ask = useMutation({
    mutationFn: () => take(anonymous.POST("/dashboard/v1/sign-in/recovery", { body: { email: email.trim() } })),
  });
  const wrong = missing && !email.trim() ? "Enter your e-mail." : ask.error ? signInSentence(ask.error) : undefined;
  useRefusalFocus(wrong, wrong ? [FIELD] : []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ask.isPending) return;
    setMissing(!email.trim());
    if (email.trim()) ask.mutate();
  };
  return (
    <>
      {ask.data
        ? (
          <p className="wrap-any" role="status" tabIndex={-1} ref={focus}>
            If an account has the address {email.trim()}, a link is on its way to it. It works once, for{" "}
            {durationText(ask.data.linkSeconds * 1000)}. Look among unwanted mail, too.
          </p>
        )
        : (
          <form className="stack" method="post" noValidate onSubmit={submit}>
            <p className="muted">A link comes by mail. It signs you in and sets a new password, which ends your other sessions.</p>
            <TextField
              id={FIELD} label="E-mail" name="email" type="email" autoComplete="username" large value={email} onChange={onEmail}
              required autoFocus error={wrong}
            />
            <button className="btn btn-primary btn-l btn-block" type="submit" aria-disabled={ask.isPending}>Send link</button>
          </form>
        )}
      <a className="btn btn-l btn-block" href="#methods">Back to sign-in</a>
    </>
  );
}
