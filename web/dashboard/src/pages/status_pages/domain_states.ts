import type { StateLook } from "../../parts/states";
import type { StatusPage } from "./page_queries";

const VERIFIED: StateLook = { word: "Verified", sign: "passed", look: "s-active" };
const WAITING: StateLook = { word: "Not verified", sign: "queued", look: "s-pending" };

/** Returns the look of the page's own domain, or undefined if it has none. */
export function domainState({ customDomain, domain }: Pick<StatusPage, "customDomain" | "domain">): StateLook | undefined {
  if (!customDomain) return undefined;
  return domain?.verifiedAt ? VERIFIED : WAITING;
}

/** Bounds of the contract for a logo. */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export const MOST_LOGO_BYTES = 256 * 1024;

export type LogoType = (typeof LOGO_TYPES)[number];

/** Returns what is wrong with a picture, or undefined. The service also compares its first bytes with the type. */
export function logoError({ type, size }: { type: string; size: number }): string | undefined {
  if (!(LOGO_TYPES as readonly string[]).includes(type)) return "Choose a PNG, JPEG or WebP picture.";
  if (size === 0) return "The file is empty.";
  return size > MOST_LOGO_BYTES ? "Choose a picture of at most 256 KiB." : undefined;
}

/** Returns the bytes in base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  // A call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
