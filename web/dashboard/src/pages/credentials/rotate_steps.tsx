import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { WHOLE } from "../../api/services";
import { PageError, Skeleton } from "../../parts/feedback";
import { PageHead } from "../../parts/page";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { type CredentialKind, type Made, capital } from "./credential_kind";
import { CredentialSecret } from "./credential_secret";
import { RotateForm } from "./rotate_form";

/** A wizard of two steps: choose how the present secret ends, then store the new one and see its first use. */
export function RotateSteps({ id, kind, role }: { id: string; kind: CredentialKind; role: string }) {
  const { project } = useProject();
  const [made, setMade] = useState<Made>();
  const found = useQuery({ queryKey: [...kind.listKey, "one", id], queryFn: ({ signal }) => kind.read(id, WHOLE, signal) });
  const thing = capital(kind.thing);
  const name = found.data?.name ?? kind.thing;
  useTitle(made ? `${thing} rotated` : `Rotate ${kind.thing}`, project.name);
  if (made) {
    return (
      <>
        <PageHead
          title={`${thing} rotated: ${name}`}
          lead={`This page shows the new secret once. Store it now. If you lose it, rotate the ${kind.thing} again.`}
        />
        <CredentialSecret made={made} kind={kind} role={role} />
      </>
    );
  }
  return (
    <>
      <PageHead title={`Rotate ${name}`} />
      {found.data && <RotateForm credential={found.data} kind={kind} onMade={setMade} />}
      {found.error && (
        <PageError
          thing={`This ${kind.thing}`} what={`The ${kind.thing}`} error={found.error} retry={() => void found.refetch()}
          back={<Link className="btn" to={kind.listPath}>Show all</Link>}
        />
      )}
      {!found.data && !found.error && <Skeleton name={`the ${kind.thing}`} rows={3} />}
    </>
  );
}
