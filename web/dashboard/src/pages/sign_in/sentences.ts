import { ApiError } from "../../api/errors";
import { numberText } from "../../time/format";

/** Returns what to do after a refused sign-in. */
export function signInSentence(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  switch (error.code) {
    case "sign_in_failed":
      return "E-mail or password is wrong. Check both.";
    case "too_many_attempts":
      return `Too many attempts. Try again in ${numberText(Math.ceil((error.retryAfter ?? 60) / 60))} min, or use another method.`;
    default:
      return error.message;
  }
}
