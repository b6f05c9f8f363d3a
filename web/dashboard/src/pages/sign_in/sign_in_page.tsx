import { useEffect, useSyncExternalStore } from "react";
import { tabs } from "../../api/services";
import { Sign } from "../../parts/icon";
import { useTitle } from "../../parts/use_title";
import { parseQuery, returnPath } from "../../parts/url_state";
import { Gate } from "./gate";
import { SignInMethods, useMethods } from "./methods";
import { RECOVERY } from "./recovery";

/** What the callback of a provider reports in the address. */
const REFUSALS: Record<string, string> = {
  provider_unavailable:
    "The identity provider does not answer, or is not configured as this service expects. Try again, or use another method.",
  sign_in_refused: "The identity provider named an account that has no access here. An administrator of your organisation can invite you.",
  member_limit_reached: "Your organisation has no place for another member. Ask an administrator.",
  session_ended: "The session ended before the sign-in returned. Sign in again.",
  overloaded: "The service has too many requests now. Try again in a minute.",
};

const listenToHash = (changed: () => void) => {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
};

export function SignInPage() {
  const { next, error } = parseQuery(location.search);
  const methods = useMethods();
  const recovery = useSyncExternalStore(listenToHash, () => location.hash) === RECOVERY && methods.data?.recovery === true;
  const title = recovery ? "Recover your account" : "Sign in";
  useTitle(title);
  const target = returnPath(next) ?? "/app/";
  // Another tab of this browser has signed in, so this one has a session, too.
  useEffect(() => tabs.listen((message) => message.type === "signed-in" && location.replace(target)), [target]);
  return (
    <Gate
      title={title}
      foot={methods.data && !recovery && (
        <>
          New accounts need an invitation. An administrator of your organisation can send you one.
          {methods.data.password && !methods.data.recovery && " If you forgot your password, ask the operator for a sign-in link."}
        </>
      )}
    >
      {error && (
        <div className="banner s-failed" role="alert">
          <Sign name="failed" look="s-failed" />
          <p className="small">{REFUSALS[error] ?? `The sign-in failed (${error}). Try again.`}</p>
          <div className="actions" />
        </div>
      )}
      <SignInMethods returnTo={target} recovery={recovery} onSignedIn={() => location.replace(target)} />
    </Gate>
  );
}
