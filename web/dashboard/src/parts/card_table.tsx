import type { ReactNode } from "react";

interface CardRowsProps {
  caption: string;
  /** The cells of the head. */
  heads: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A table whose rows become cards on narrow screens. It stands in a panel. */
export function CardRows({ caption, heads, children, className = "" }: CardRowsProps) {
  return (
    <div className="table-box">
      <table className={`table table-cards ${className}`.trimEnd()} role="table">
        <caption className="vh">{caption}</caption>
        <thead role="rowgroup"><tr role="row">{heads}</tr></thead>
        <tbody role="rowgroup">{children}</tbody>
      </table>
    </div>
  );
}

interface CardTableProps extends Omit<CardRowsProps, "heads"> {
  /** Heads by their keys; the last column holds the acts of a row. */
  heads: readonly (readonly [string, ReactNode])[];
  foot?: ReactNode;
}

/** A panel with such a table, whose heads are words. */
export function CardTable({ heads, foot, ...table }: CardTableProps) {
  return (
    <div className="panel">
      <CardRows
        {...table}
        heads={
          <>
            {heads.map(([key, word]) => <th scope="col" role="columnheader" key={key}>{word}</th>)}
            <th scope="col" role="columnheader"><span className="vh">Actions</span></th>
          </>
        }
      />
      {foot}
    </div>
  );
}
