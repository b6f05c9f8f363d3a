import { Link, Navigate, useLocation } from "@tanstack/react-router";
import { Brand } from "../parts/icon";
import { useTitle } from "../parts/use_title";
import { movedAddress } from "./organization_address";

export function NotFoundPage() {
  const moved = movedAddress(useLocation().pathname);
  useTitle("Not found");
  if (moved) return <Navigate to={moved} replace />;
  return (
    <main className="gate" id="main">
      <div className="gate-main">
        <div className="stack g-3">
          <span className="brand"><Brand /></span>
          <h1>This page does not exist</h1>
          <p className="muted">The address has a mistake, or the page belongs to a project in which you have no role.</p>
        </div>
        <Link className="btn btn-primary" to="/">Show your projects</Link>
      </div>
    </main>
  );
}
