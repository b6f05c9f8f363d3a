import type { ReactNode } from "react";
import { safeLink } from "../output/links";

/** A link to an address that a tenant wrote: http and https only, in a tab without access to this one. */
export function ExternalLink({ address, children, className }: { address: string; children: ReactNode; className?: string }) {
  const href = safeLink(address);
  if (!href) return <span className={className}>{children}</span>;
  return (
    <a href={href} className={className} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
