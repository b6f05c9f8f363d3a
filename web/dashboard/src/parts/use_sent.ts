import { type RefObject, useEffect, useRef } from "react";

/**
 * True from the start of a save until it is refused. The second click of a double click comes before the page shows that it
 * saves, so the state of the page cannot stop it.
 */
export function useSent(error: Error | null): RefObject<boolean> {
  const sent = useRef(false);
  useEffect(() => {
    if (error) sent.current = false;
  }, [error]);
  return sent;
}
