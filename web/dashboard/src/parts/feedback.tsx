import { type ReactNode, useEffect, useState } from "react";
import { ApiError, withoutWait } from "../api/errors";
import { CopyButton } from "./copy";
import { Icon, Sign } from "./icon";
import type { IconName } from "./sprite";
import { useRefusalFocus } from "./use_refusal_focus";

export function RequestId({ id }: { id: string }) {
  if (!id) return null;
  return (
    <p className="request-id">
      Request <code>{id}</code>
      <CopyButton text={id} label="Copy request id" />
    </p>
  );
}

interface BlankProps {
  icon: IconName;
  title: string;
  children: ReactNode;
  /** The title is the heading of the page. */
  page?: boolean;
}

/** What belongs here, one act, and the command for a shell. */
export function Blank({ icon, title, children, page }: BlankProps) {
  return (
    <div className="blank">
      <Icon name={icon} />
      {page ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** Rows in the shape of a list, after 300 ms. */
export function Skeleton({ name, rows = 5 }: { name: string; rows?: number }) {
  return (
    <div className="panel delayed" aria-busy="true">
      <p className="vh" role="status">Loading {name}</p>
      <ul className="list" aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          <li className="row row-tight g-3" key={row}>
            <span className="skeleton skeleton-dot" />
            <span className="skeleton skeleton-s" />
            <span className={`skeleton ${row % 2 ? "skeleton-l" : "skeleton-m"}`} />
            <span className="skeleton skeleton-s push" />
          </li>
        ))}
      </ul>
    </div>
  );
}

const isAway = (error: Error) => !(error instanceof ApiError) || error.status === 503;

/** Seconds until the next try, which `retry` makes. */
function useRetry(error: Error, retry: (() => void) | undefined): number {
  const first = error instanceof ApiError && error.retryAfter ? Math.max(2, error.retryAfter) : 12;
  const [left, setLeft] = useState(first);
  useEffect(() => setLeft(first), [error, first]);
  useEffect(() => {
    if (!retry) return;
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : retry()), 1000);
    return () => clearTimeout(timer);
  }, [left, retry]);
  return left;
}

/** A part of a page that could not be loaded; the page tries again by itself. */
export function LoadError({ what, error, retry }: { what: string; error: Error; retry?: () => void }) {
  const limited = error instanceof ApiError && error.status === 429;
  const repeats = retry && (isAway(error) || limited);
  const left = useRetry(error, repeats ? retry : undefined);
  const look = limited ? "timed-out" : "error";
  return (
    <div className={`banner s-${look}`} role="alert">
      <Sign name={look} look={`s-${look}`} />
      <div className="stack g-2">
        <div className="stack g-1">
          <p className="banner-title">{limited ? "Too many requests in a minute" : `${what} could not be loaded`}</p>
          <p className="small">
            {repeats ? `${withoutWait(error.message)} The page tries again in ${left} s.` : error.message}
          </p>
        </div>
        {error instanceof ApiError && <RequestId id={error.requestId} />}
      </div>
      <div className="actions">
        {retry && (
          <button className="btn btn-s" type="button" onClick={retry}>
            <Icon name="rerun" small />
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

interface PageErrorProps {
  /** The page has no other heading. */
  page?: boolean;
  /** Such as "This job", for a sentence that starts with it. */
  thing: string;
  what: string;
  error: Error;
  retry?: () => void;
  /** A link to a page that works. */
  back?: ReactNode;
  /** The role that may see the page, and the own one. */
  roles?: { needed: string; own: string };
}

/** The whole page could not be loaded. */
export function PageError({ thing, what, error, retry, back, page, roles }: PageErrorProps) {
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) {
    const missing = error.status === 404;
    return (
      <div className="panel">
        <Blank
          page={page} icon={missing ? "search" : "shield"}
          title={missing ? `${thing} does not exist here` : "Your role does not permit this page"}
        >
          <p>{missing ? "It was deleted, or it belongs to another project." : error.message}</p>
          {!missing && roles && (
            <p>Your role is {roles.own}. This page needs the role {roles.needed}. An administrator of the project can give it to you.</p>
          )}
          {back && <div className="row">{back}</div>}
          <RequestId id={error.requestId} />
        </Blank>
      </div>
    );
  }
  return <LoadError what={what} error={error} retry={retry} />;
}

/** A banner for an act that the service refused. */
export function ActError({ title, error, details = [] }: { title: string; error: Error; details?: readonly string[] }) {
  const banner = useRefusalFocus(error);
  return (
    <div className="banner s-failed" role="alert" tabIndex={-1} ref={banner}>
      <Sign name="failed" look="s-failed" />
      <div className="stack g-2">
        <div className="stack g-1">
          <p className="banner-title">{title}</p>
          <p className="small">{error.message}</p>
          {details.map((one) => <p className="small wrap-any" key={one}>{one}</p>)}
        </div>
        {error instanceof ApiError && <RequestId id={error.requestId} />}
      </div>
      <div className="actions" />
    </div>
  );
}
