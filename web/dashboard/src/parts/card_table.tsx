import type { ReactNode } from "react";

interface CardTableProps {
  caption: string;
  /** Heads by their keys; the last column holds the acts of a row. */
  heads: readonly (readonly [string, ReactNode])[];
  children: ReactNode;
  foot?: ReactNode;
}

/** A table whose rows become cards on narrow screens. */
export function CardTable({ caption, heads, children, foot }: CardTableProps) {
  return (
    <div className="panel">
      <div className="table-box">
        <table className="table table-cards" role="table">
          <caption className="vh">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {heads.map(([key, word]) => <th scope="col" role="columnheader" key={key}>{word}</th>)}
              <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
            </tr>
          </thead>
          <tbody role="rowgroup">{children}</tbody>
        </table>
      </div>
      {foot}
    </div>
  );
}
