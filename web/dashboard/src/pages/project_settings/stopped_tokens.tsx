import { useQuery } from "@tanstack/react-query";
import { useProject } from "../project_context";
import { readTokens } from "../project_queries";

const SHOWN = 8;

/** The CLI tokens of the project that are refused after a member has lost the role. */
export function StoppedTokens({ userId }: { userId: string }) {
  const { api, key } = useProject();
  const tokens = useQuery({
    queryKey: [key, "tokens", "of all"], queryFn: ({ signal }) => readTokens(api, {}, {}, signal), staleTime: 0,
  });
  if (tokens.error) return <p>The member’s tokens could not be loaded. {tokens.error.message}</p>;
  if (!tokens.data) return <p className="muted" role="status">Looking for tokens that stop…</p>;
  const own = tokens.data.rows.filter((token) => token.createdBy.id === userId);
  if (own.length === 0) return <p>No CLI token stops.</p>;
  return (
    <div className="stack g-2">
      <p className="medium">{own.length === 1 ? "1 CLI token stops:" : `${own.length} CLI tokens stop:`}</p>
      <ul className="stack g-1 small">
        {own.slice(0, SHOWN).map((token) => (
          <li className="wrap-any" key={token.id}><bdi className="medium">{token.name}</bdi> <code>{token.start}</code></li>
        ))}
        {own.length > SHOWN && <li className="muted">and {own.length - SHOWN} more</li>}
      </ul>
    </div>
  );
}
