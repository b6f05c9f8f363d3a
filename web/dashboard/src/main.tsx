import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/services";
import { InvitationPage } from "./pages/sign_in/invitation_page";
import { LinkPage } from "./pages/sign_in/link_page";
import { SignInPage } from "./pages/sign_in/sign_in_page";
import { ReloadBoundary, loadFiles, loadOrReload } from "./parts/reload";
import { Sprite } from "./parts/sprite";
import { Toasts } from "./parts/toasts";
import "./styles/index.css";

// A page from the browser's memory could show the views of a session that has ended.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

const root = createRoot(document.getElementById("root")!);

const render = (page: ReactNode) =>
  root.render(
    <QueryClientProvider client={queries}>
      <Sprite />
      <ReloadBoundary>{page}</ReloadBoundary>
      <Toasts />
    </QueryClientProvider>,
  );

// The pages before the sign-in need neither the router nor the parts of the other pages, so they load a half of the script.
const path = location.pathname.replace(/\/$/, "");
if (path === "/app/sign-in") render(<SignInPage />);
else if (path === "/app/link") render(<LinkPage />);
else if (path === "/app/invitation") render(<InvitationPage />);
else void start();

async function start(): Promise<void> {
  const { App, readFirst } = await loadOrReload(() => loadFiles("svc-app").then(() => import("./app")));
  await readFirst(new URL(location.href));
  render(<App />);
}
