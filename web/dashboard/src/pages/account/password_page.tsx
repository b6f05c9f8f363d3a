import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useAccount } from "../../api/account";
import { account as client, take } from "../../api/services";
import { TextField, detailsByField, sentence } from "../../parts/field";
import { useTitle } from "../../parts/use_title";
import { toast } from "../../parts/toasts";

export default function PasswordPage() {
  useTitle("Password", "Your account");
  const { user } = useAccount();
  const [password, setPassword] = useState("");
  const [shown, setShown] = useState(false);
  const [tried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () => take(client.PUT("/dashboard/v1/me/password", { body: { password } })),
    onSuccess: () => {
      setPassword("");
      setTried(false);
      toast({ text: "Your password was set. All your other sessions have ended." });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (password && !save.isPending) save.mutate();
  };
  const detail = detailsByField(save.error).get("/password");
  const missing = tried && !password ? "Enter a new password." : undefined;
  return (
    <form className="form page-narrow" noValidate onSubmit={submit}>
      <p className="muted">
        A new password ends all your other sessions. The service asks you to sign in again first, if that was some time ago.
      </p>
      <input className="vh" type="email" name="email" autoComplete="username" value={user.email} readOnly tabIndex={-1} aria-hidden />
      <TextField
        label="New password" name="password" type={shown ? "text" : "password"} autoComplete="new-password" value={password}
        onChange={setPassword} maxLength={1024} hint="15 to 256 characters, unless the operator asks for another length. Spaces count."
        error={missing ?? (detail ? sentence(detail) : save.error?.message)}
      />
      <label className="check">
        <input type="checkbox" checked={shown} onChange={(event) => setShown(event.target.checked)} />
        <span>Show the password</span>
      </label>
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={save.isPending}>Set password</button>
      </div>
    </form>
  );
}
