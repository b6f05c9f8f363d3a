import { Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense } from "react";
import { Skeleton } from "../../parts/feedback";
import { PageHead, Tabs } from "../../parts/page";
import { useAccount } from "../../api/account";
import { Frame } from "../shell/frame";

const TABS = [
  ["Profile", "/_account"], ["Password", "/_account/password"], ["Sessions", "/_account/sessions"],
  ["Tokens and keys", "/_account/tokens"], ["Activity", "/_account/activity"],
] as const;

export default function AccountLayout() {
  const { user } = useAccount();
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, "") });
  return (
    <Frame>
      <div className="page">
        <PageHead title="Your account" lead={`${user.name}, ${user.email}`} />
        <Tabs label="Parts of your account" tabs={TABS.map(([word, to]) => ({ word, to, current: path === to }))} />
        <Suspense fallback={<Skeleton name="the page" />}><Outlet /></Suspense>
      </div>
    </Frame>
  );
}
