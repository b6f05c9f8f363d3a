export type Theme = "system" | "light" | "dark";

const YEAR = 31_536_000;

/** Shows the theme now, and tells the server for the next page by a cookie, so that it never flashes. */
export function applyTheme(theme: Theme | undefined): void {
  const value = theme ?? "system";
  document.documentElement.dataset.theme = value;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `svc_theme=${value}; Path=/app; Max-Age=${YEAR}; SameSite=Lax${secure}`;
}
