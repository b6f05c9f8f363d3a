import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

export interface Crumb {
  word: string;
  to?: string;
}

export function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumbs">
      <ol className="crumbs">
        {crumbs.map((one, at) => (
          // A thing may have the name of its list.
          <li key={at}>
            {one.to
              ? <Link to={one.to} className="clip" dir="auto">{one.word}</Link>
              : <span aria-current="page" className="clip" dir="auto">{one.word}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface HeadProps {
  title: string;
  badge?: ReactNode;
  actions?: ReactNode;
  lead?: ReactNode;
}

export function PageHead({ title, badge, actions, lead }: HeadProps) {
  return (
    <div className="page-head">
      <div className="page-title">
        <h1 className="wrap-any" dir="auto">{title}</h1>
        {badge}
        {actions && <div className="actions">{actions}</div>}
      </div>
      {lead && <p className="page-lead wrap-any">{lead}</p>}
    </div>
  );
}

export interface Tab {
  word: string;
  to: string;
  search?: Record<string, string>;
  count?: number;
  current: boolean;
}

/** Returns the ref of a bar of links. On a narrow page the bar scrolls, and `current` may be past its edge: it moves to the middle. */
export function useCurrentInView(current: string | undefined) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const [nav, link] = [bar.current, bar.current?.querySelector<HTMLElement>("[aria-current]")];
    if (nav && link) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return bar;
}

/** Parts of one thing, which have addresses. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const bar = useCurrentInView(tabs.find((one) => one.current)?.to);
  return (
    <nav className="tabs" aria-label={label} ref={bar}>
      {tabs.map((one) => (
        <Link
          className="tab" to={one.to} search={one.search ?? {}} key={one.word} activeOptions={{ exact: true, includeSearch: true }}
          aria-current={one.current ? "page" : undefined}
        >
          {one.word} {one.count !== undefined && <span className="count">{one.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
