import type { ReactNode } from "react";
import { State } from "../../parts/icon";
import { Meter } from "../../parts/meter";
import { NOTHING } from "../../parts/time";
import { type Use, lookOf, shareOf, shareWords } from "./usage_words";

const BARS: Record<string, "f-failed" | "f-degraded"> = { "s-failed": "f-failed", "s-warning": "f-degraded" };

interface CellsProps {
  use: Use;
  /** The word for a use at its limit. */
  full?: string;
  name: ReactNode;
  note?: ReactNode;
  /** Cells between the name and the share. */
  children?: ReactNode;
}

/** The first cells of a row about a limit: its state, its name and the share that is used. */
export function UseCells({ use, full, name, note, children }: CellsProps) {
  const look = lookOf(use, full);
  return (
    <>
      <td className="cell-state" role="cell"><State state={look} /></td>
      <th scope="row" role="rowheader">
        <div className="cell-name">
          <span className="medium wrap-any" dir="auto">{name}</span>
          {note && <span className="cell-sub wrap-any">{note}</span>}
        </div>
      </th>
      {children}
      <td className="cell-meter cell-wide" data-label="Share" role="cell">
        {use.limit === null
          ? <span className="faint">{NOTHING}</span>
          : <Meter share={shareOf(use)} look={BARS[look.look] ?? "f-ink"} label={shareWords(use)} />}
      </td>
    </>
  );
}
