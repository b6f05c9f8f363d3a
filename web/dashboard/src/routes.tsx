import { Outlet, createRootRoute, createRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { AccountGate } from "./pages/account_gate";
import { NotFoundPage } from "./pages/not_found";
import ProjectLayout from "./pages/project_layout";

/** The routes that all pages are below. */
export const root = createRootRoute({
  component: () => (
    <Suspense>
      <Outlet />
    </Suspense>
  ),
  notFoundComponent: NotFoundPage,
});

// The first word of an own page starts with `_` here (pages/page_address.ts), so that it hides no organisation.
export const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in", component: AccountGate });

/** The pages of a project. */
export const project = createRoute({
  getParentRoute: () => signedIn, path: "/$org/$project", component: ProjectLayout,
});
