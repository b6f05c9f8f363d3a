import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { numberText } from "../time/format";
import { Icon } from "./icon";
import { type Query, pageOf } from "./url_state";

export interface Pagination {
  total: number;
  totalIsEstimate?: boolean;
  page: number;
  limit: number;
}

export interface ListPage<T> {
  rows: T[];
  pagination: Pagination;
  /** Queries of the neighbours, from the Link header. */
  next?: Query;
  previous?: Query;
}

interface FootProps {
  /** Such as "Runs". */
  things: string;
  page: ListPage<unknown>;
  /** Words for the links, because a list by name has no newer rows. */
  words?: readonly [string, string];
  children?: ReactNode;
}

/** "Runs 1 to 50 of 4 812" and links to the neighbours. */
export function ListFoot({ things, page, words = ["Newer", "Older"], children }: FootProps) {
  const { pagination, rows } = page;
  const first = (pagination.page - 1) * pagination.limit + 1;
  const total = `${pagination.totalIsEstimate ? "about " : ""}${numberText(pagination.total)}`;
  const step = (query: Query | undefined, word: string, icon: ReactNode, iconFirst: boolean) => {
    const content = iconFirst ? <>{icon}{word}</> : <>{word}{icon}</>;
    if (!query) return <span className="btn btn-s" aria-disabled="true">{content}</span>;
    return (
      <Link className="btn btn-s" to="." search={(old) => ({ ...old, page: undefined, cursor: undefined, ...pageOf(query) })}>
        {content}
      </Link>
    );
  };
  return (
    <div className="panel-foot">
      <span>
        {rows.length ? `${things} ${numberText(first)} to ${numberText(first + rows.length - 1)} of ${total}` : `${things}: 0 on this page`}
      </span>
      {children}
      {(page.next || page.previous) && (
        <nav className="push row g-2" aria-label="Pages">
          {step(page.previous, words[0], <Icon name="left" small />, true)}
          {step(page.next, words[1], <Icon name="right" small />, false)}
        </nav>
      )}
    </div>
  );
}
