import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { accountQuery } from "../../api/account";
import { prompt, tabs } from "../../api/services";
import type { OpenPrompt } from "../../api/sign_in_prompt";
import { useLater } from "../../parts/later";

/** Goes on after a sign-in of this or another tab. Another user must not see what the page holds. */
export function proceed(userId: string, holder: string | undefined): void {
  if (holder && userId !== holder) location.replace("/app/");
  else prompt.settle(true);
}

function OpenDialog({ open }: { open: OpenPrompt }) {
  // Without the dialog the requests that wait end with their errors, and forms keep their input.
  const later = useLater(() => prompt.settle(false));
  return later ? <later.SignInDialog open={open} /> : null;
}

/** Shows the dialog for a sign-in while requests wait for one. */
export function SignInGate() {
  const open = useSyncExternalStore(prompt.subscribe, prompt.open);
  const { data: account } = useQuery({ ...accountQuery, enabled: false });
  const holder = account?.user.id;
  useEffect(
    () => tabs.listen((message) => message.type === "signed-in" && prompt.open() && proceed(message.userId, holder)),
    [holder],
  );
  return open ? <OpenDialog open={open} /> : null;
}
