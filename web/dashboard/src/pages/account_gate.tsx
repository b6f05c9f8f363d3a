import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { accountQuery, leave, signedIn } from "../api/account";
import { ApiError } from "../api/errors";
import { tabs, visibility } from "../api/services";
import { LoadError, Skeleton } from "../parts/feedback";
import { LostStoreBanners } from "../parts/lost_store_banners";
import { applyTheme } from "../parts/theme";
import { SignInGate } from "./sign_in/sign_in_gate";

/** Milliseconds, in addition to those that the first page waits for the account. */
const SLOW = 500;

/** Says that the service has not answered, after half a second. */
function Waiting() {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW);
    return () => clearTimeout(timer);
  }, []);
  if (!slow) return null;
  return (
    <main className="page page-narrow" id="main">
      <h1>Project Automation Service</h1>
      <p className="muted">The service has not answered yet. This page waits for it.</p>
      <LostStoreBanners />
      <Skeleton name="your account" />
    </main>
  );
}

/** Shows its pages to signed-in users; others go to the sign-in and return. */
export function AccountGate() {
  const { data, error, refetch } = useQuery(accountQuery);
  const absent = error instanceof ApiError && error.status === 401;
  useEffect(() => {
    if (!absent) return;
    const here = location.pathname + location.search + location.hash;
    location.replace(here === "/app/" || here === "/app" ? "/app/sign-in" : `/app/sign-in?next=${encodeURIComponent(here)}`);
  }, [absent]);
  useEffect(() => tabs.listen((message) => message.type === "signed-out" && leave()), []);
  // A tab that comes back may be older than the service.
  useEffect(() => visibility.listen((visible) => visible && void refetch()), [refetch]);
  const theme = data?.user.preferences.theme;
  useEffect(() => {
    if (data) applyTheme(theme);
  }, [data, theme]);
  const userId = data?.user.id;
  useEffect(() => {
    if (userId) signedIn(userId, { tell: false });
  }, [userId]);
  if (data) {
    return (
      <>
        <Suspense><Outlet /></Suspense>
        <SignInGate />
      </>
    );
  }
  if (absent) return null;
  if (!error) return <Waiting />;
  return (
    <main className="page page-narrow" id="main">
      <h1>Project Automation Service</h1>
      <LostStoreBanners />
      <LoadError what="Your account" error={error} retry={() => void refetch()} />
    </main>
  );
}
