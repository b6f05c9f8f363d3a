import { useParams } from "@tanstack/react-router";
import { Crumbs } from "../../parts/page";
import { roleWord } from "../../parts/states";
import { RotateSteps } from "../credentials/rotate_steps";
import { NeedsEditor } from "../needs_project_role";
import { useProject } from "../project_context";
import { useTokenKind } from "./token_kind";

function RotateToken() {
  const { path, project } = useProject();
  const { tokenId } = useParams({ from: "/signed-in/$org/$project/tokens/$tokenId/rotate" });
  const kind = useTokenKind();
  return (
    <div className="page page-narrow">
      <Crumbs crumbs={[{ word: "Tokens", to: path("tokens") }, { word: "Rotate" }]} />
      <RotateSteps id={tokenId} kind={kind} role={`role ${roleWord(project.role)}`} />
    </div>
  );
}

export default function RotateTokenPage() {
  return <NeedsEditor><RotateToken /></NeedsEditor>;
}
