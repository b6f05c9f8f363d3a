import { useEffect } from "react";

const SERVICE = "Project Automation Service";

/** Sets the title of the document, for example `Failed · nightly · Shop`. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), SERVICE].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
