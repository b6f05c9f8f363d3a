/**
 * Returns the secret in the fragment of a link, and removes it from the address bar at once, before anything can store or send
 * the address.
 */
export function takeSecret(path: string): string {
  if (location.pathname.replace(/\/$/, "") !== path) return "";
  const secret = location.hash.slice(1);
  if (secret) history.replaceState(history.state, "", location.pathname);
  return secret;
}
