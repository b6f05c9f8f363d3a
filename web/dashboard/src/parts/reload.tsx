import { Component, type ComponentType, type LazyExoticComponent, type ReactNode, lazy } from "react";

import { sleep } from "../api/sleep";

const PAUSES = [100, 200, 300, 500, 800, 1200, 1800, 2500];
const KEY = "svc_reloaded_at";
const PAUSE = 60_000;

/** Reloads the page because a file of an older bundle is gone; at most once a minute. */
function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < PAUSE) return false;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
  return true;
}

/** The files that boot.js has loaded before the first import. */
const isLoaded = (address: string): boolean => (globalThis as { svcLoaded?: string[] }).svcLoaded?.includes(address) ?? false;

async function loadFile(address: string): Promise<void> {
  for (const pause of PAUSES) {
    const answer = await fetch(address).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.ok) return;
    await sleep(pause * (0.5 + Math.random()));
  }
}

/**
 * Asks for the files that the page names until the browser's cache has them: during a deployment another instance may answer
 * that lacks them, and a module that failed once cannot be imported again in this document.
 */
export async function loadFiles(group: "svc-app" | "svc-later" | "svc-editor"): Promise<void> {
  const names = document.querySelector<HTMLMetaElement>(`meta[name="${group}"]`)?.content.split(" ").filter(Boolean) ?? [];
  await Promise.all(names.filter((name) => !isLoaded(name)).map(loadFile));
}

/** Imports a module; if its file is gone, the page is reloaded. */
export async function loadOrReload<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!reloadOnce()) throw error;
    return new Promise<never>(() => {});
  }
}

/** A page of a group whose script loads when one of them is first shown, or a part of a page. */
export function lazyPage<Name extends string, Module extends Record<Name, ComponentType<any>>>(
  load: () => Promise<Module>, name: Name,
): LazyExoticComponent<Module[Name]> {
  return lazy(async () => ({ default: (await loadOrReload(load))[name] }));
}

/** What a page shows when a part of the program fails. */
export function PageFailure({ error }: { error: Error }) {
  return (
    <div className="blank" role="alert">
      <h1>This page has failed</h1>
      <p>The dashboard may be being updated. What you saved is stored. Reload the page; if it fails again, tell the operator.</p>
      <p className="request-id"><code>{error.message}</code></p>
      <button className="btn btn-primary" type="button" onClick={() => location.reload()}>Reload the page</button>
    </div>
  );
}

/** Shows a sentence instead of an empty page when a part of the program outside of the router fails. */
export class ReloadBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    return this.state.error ? <PageFailure error={this.state.error} /> : this.props.children;
  }
}
