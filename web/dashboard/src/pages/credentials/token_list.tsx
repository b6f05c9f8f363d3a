import { numberText } from "../../time/format";

const SHOWN = 8;

interface ListedToken {
  id: string;
  name: string;
  /** The first characters of the secret. */
  start: string;
  /** Such as "Trigger key", if the list has several kinds. */
  kind?: string;
  /** The words after the name, such as "in Shop". */
  place?: string;
}

interface TokenListProps {
  rows: readonly ListedToken[];
  /** How many there are, with those that are not among the rows. */
  total: number;
  /** The words after the number 1, and after other numbers. */
  words: readonly [string, string];
}

/** The first tokens and keys that an act stops or leaves valid, after their number. */
export function TokenList({ rows, total, words: [one, many] }: TokenListProps) {
  return (
    <div className="stack g-2">
      <p className="medium">{total === 1 ? `1 ${one}:` : `${numberText(total)} ${many}:`}</p>
      <ul className="stack g-1 small">
        {rows.slice(0, SHOWN).map(({ id, name, start, kind, place }) => (
          <li className="wrap-any" key={id}>
            {kind} <bdi className="medium">{name}</bdi> {place} <code>{start}</code>
          </li>
        ))}
        {total > SHOWN && <li className="muted">and {numberText(total - SHOWN)} more</li>}
      </ul>
    </div>
  );
}
