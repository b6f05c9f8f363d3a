import { loadLater } from "../../../parts/later";
import { lazyPage } from "../../../parts/reload";

/** The first steps of a new project, which few first pages show. */
export const FirstSteps = lazyPage(loadLater, "FirstSteps");
