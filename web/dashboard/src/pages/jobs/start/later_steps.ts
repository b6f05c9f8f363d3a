import { lazy } from "react";
import { loadLater } from "../../../parts/later";
import { loadOrReload } from "../../../parts/reload";

/** The first steps of a new project, which few first pages show. */
export const FirstSteps = lazy(async () => ({ default: (await loadOrReload(loadLater)).FirstSteps }));
