import type { QueryKey } from "@tanstack/react-query";
import type { Snippet } from "../../parts/secret_page";
import type { CliToken, TriggerKey } from "../project_queries";

/** What CLI tokens and trigger keys have in common. */
export type Credential = Omit<CliToken, "key"> | Omit<TriggerKey, "key">;

export interface Rotation {
  graceSeconds: number;
  endPrevious?: "first_use";
  expiresIn?: number;
}

export interface Made {
  credential: Credential;
  /** The whole secret, in memory only. */
  secret: string;
}

/** The operations and words of one kind of credential, in one place of the project. */
export interface CredentialKind {
  /** Such as "token". */
  thing: string;
  /** The start of the actions in the audit trail, such as "cli_token". */
  audited: string;
  listKey: QueryKey;
  listPath: string;
  rotatePath: (id: string) => string;
  /** Returns the path of the operation that rotates one. */
  rotateOperation: (id: string) => string;
  read: (id: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Credential>;
  rotate: (id: string, rotation: Rotation) => Promise<Made>;
  enable: (id: string, enabled: boolean) => Promise<unknown>;
  revoke: (id: string) => Promise<unknown>;
  snippets: (secret: string) => Snippet[];
}

/** Returns the credential of an answer without its secret, and the secret. */
export function splitSecret({ key, ...credential }: CliToken | TriggerKey): Made {
  return { credential, secret: key ?? "" };
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
