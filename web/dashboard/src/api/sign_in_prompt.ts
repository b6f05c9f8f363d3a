import type { ApiError } from "./errors";
import type { SignInReason } from "./transport";

export interface OpenPrompt {
  reason: SignInReason;
  error: ApiError;
}

/**
 * The dialog that signs in over the page. All requests that need it wait for one dialog; a dialog for an ended session also
 * serves those that need a fresh sign-in.
 */
export class SignInPrompt {
  private current: OpenPrompt | undefined;
  private waiting: ((repeat: boolean) => void)[] = [];
  private readonly listeners = new Set<() => void>();

  readonly ask = (reason: SignInReason, error: ApiError): Promise<boolean> =>
    new Promise((resolve) => {
      this.waiting.push(resolve);
      if (!this.current || (this.current.reason === "fresh" && reason === "ended")) {
        this.current = { reason, error };
        this.changed();
      }
    });

  /** Closes the dialog. With true all waiting requests are repeated, otherwise they end with their errors. */
  readonly settle = (repeat: boolean): void => {
    const waiting = this.waiting;
    this.waiting = [];
    this.current = undefined;
    this.changed();
    for (const resolve of waiting) resolve(repeat);
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly open = (): OpenPrompt | undefined => this.current;

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
