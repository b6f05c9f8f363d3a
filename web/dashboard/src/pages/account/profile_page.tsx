import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ACCOUNT_KEY, type Account, useAccount } from "../../api/account";
import { account as client, take } from "../../api/services";
import { ActError } from "../../parts/feedback";
import { SelectField, TextField, detailsByField, sentence } from "../../parts/field";
import { useTitle } from "../../parts/use_title";
import { type Theme, applyTheme } from "../../parts/theme";
import { toast } from "../../parts/toasts";
import { useNow } from "../../parts/use_clock";
import { browserZone, minuteText, zoneName } from "../../time/format";

const THEMES = [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]] as const;

const zones = (current: string): readonly (readonly [string, string])[] => {
  const names = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
  if (current) names.add(current);
  // The contract cannot remove a zone, so only accounts without one follow the browser.
  const browser = current ? [] : [["", `As the browser (${browserZone()})`] as const];
  return [...browser, ...[...names].sort().map((name) => [name, name.replaceAll("_", " ")] as const)];
};

export default function ProfilePage() {
  useTitle("Your account");
  const queries = useQueryClient();
  const { user } = useAccount();
  const now = useNow();
  const [name, setName] = useState(user.name);
  const [theme, setTheme] = useState<Theme>(user.preferences.theme ?? "system");
  const [zone, setZone] = useState(user.preferences.timeZone ?? "");
  const save = useMutation({
    mutationFn: () =>
      take(client.PATCH("/dashboard/v1/me", {
        body: { name: name.trim(), preferences: { theme, ...(zone ? { timeZone: zone } : {}) } },
      })),
    onSuccess: (account: Account) => {
      queries.setQueryData(ACCOUNT_KEY, account);
      toast({ text: "Your account was saved." });
    },
  });
  const changed = name !== user.name || theme !== (user.preferences.theme ?? "system") || zone !== (user.preferences.timeZone ?? "");
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? Your changes are not saved."),
    enableBeforeUnload: () => changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && !save.isPending) save.mutate();
  };
  const detail = detailsByField(save.error).get("/name");
  const shown = zone || browserZone();
  return (
    <form className="form page-narrow" noValidate onSubmit={submit}>
      {save.error && !detail && <ActError title="Your account was not saved" error={save.error} />}
      <TextField
        label="Name" name="name" value={name} onChange={setName} maxLength={255} autoComplete="name"
        error={detail ? sentence(detail) : undefined}
      />
      <TextField label="E-mail" name="email" value={user.email} onChange={() => {}} readOnly hint="Only the operator can change it." />
      <SelectField
        label="Theme" name="theme" value={theme} options={THEMES}
        onChange={(value) => (setTheme(value as Theme), applyTheme(value as Theme))}
      />
      <SelectField
        label="Time zone" name="timeZone" value={zone} onChange={setZone} options={zones(user.preferences.timeZone ?? "")}
        hint={`It is ${minuteText(now, shown, now)} ${zoneName(shown, now)} there now.`}
      />
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save account</button>
      </div>
    </form>
  );
}
