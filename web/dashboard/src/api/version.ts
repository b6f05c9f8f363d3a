/** Compares the bundle that the service has now with that of this page, and knows whether a form holds input that is not saved. */
export class Version {
  private page: string | undefined;
  private served: string | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly touched = new Set<Element>();

  /** The service named its bundle. The first name is that of this page. */
  readonly saw = (bundle: string | undefined): void => {
    if (!bundle || bundle === this.served) return;
    this.page ??= bundle;
    this.served = bundle;
    for (const listener of this.listeners) listener();
  };

  readonly isNewer = (): boolean => this.served !== this.page;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Remembers forms that somebody types into, until they are sent. A search is no input that could be lost. */
  watchForms(page: EventTarget): void {
    const formOf = (event: Event) => (event.target as Element | null)?.closest?.('form:not([role="search"])');
    page.addEventListener("input", (event) => {
      const form = formOf(event);
      if (form) this.touched.add(form);
    });
    page.addEventListener("submit", (event) => {
      const form = formOf(event);
      if (form) this.touched.delete(form);
    });
  }

  /** True if a navigation should load the newer pages: no form of the page holds unsaved input. */
  mayLoad(): boolean {
    for (const form of this.touched) if (!form.isConnected) this.touched.delete(form);
    return this.isNewer() && this.touched.size === 0;
  }
}
