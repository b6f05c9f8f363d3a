import { durationText } from "../../time/format";

/** The most minutes of a window that starts now; the contract has the same. */
export const MOST_MINUTES_NOW = 10_080;

/** Lengths of a window that starts now, in minutes, with their words. */
export const LENGTHS: readonly (readonly [string, string])[] = [15, 30, 60, 120, 240, 480, 1440].map((minutes) =>
  [String(minutes), durationText(minutes * 60_000)] as const);
