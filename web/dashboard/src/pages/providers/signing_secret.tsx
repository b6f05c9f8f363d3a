import { useNavigate } from "@tanstack/react-router";
import { Crumbs, PageHead } from "../../parts/page";
import { SecretPage } from "../../parts/secret_page";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { signingSnippets } from "./signing_snippets";

/** Shows the secret that the service has made for the signatures of a webhook, once. */
export function SigningSecret({ id, name, secret, renewed }: { id: string; name: string; secret: string; renewed: boolean }) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  useTitle("Signing secret", project.name);
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Providers", to: path("providers") }, { word: name }]} />
      <PageHead
        title={`Signing secret of ${name}`}
        lead={
          "This page shows the whole secret once. Store it where messages are received." +
          (renewed ? " For 24 hours messages have a signature by the earlier secret too." : "")
        }
      />
      <SecretPage
        secret={secret} thing="signing secret" snippets={signingSnippets(secret)} use={null} revoke={null}
        facts={<><bdi>{name}</bdi><span>project {project.name}</span></>}
        onDone={() => void navigate({ to: path("providers", id), ignoreBlocker: true, replace: true })}
      />
    </div>
  );
}
