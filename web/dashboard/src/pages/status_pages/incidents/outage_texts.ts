import type { ComponentStatus, Incident, PageComponent, StatusPage } from "../page_queries";
import { type Affected, type IncidentValues, MOST_NAME, newIncident } from "./incident_values";

/** The name and the text of an incident that starts with an outage, in each language of a page. */
const TEXTS: Record<StatusPage["language"], readonly [(component: string) => string, string]> = {
  de: [(name) => `Störung: ${name}`, "Wir suchen die Ursache."],
  en: [(name) => `Problems with ${name}`, "We are looking for the cause."],
  es: [(name) => `Problemas con ${name}`, "Estamos buscando la causa."],
  fr: [(name) => `Incident : ${name}`, "Nous recherchons la cause."],
  it: [(name) => `Problemi con ${name}`, "Stiamo cercando la causa."],
  ja: [(name) => `${name}の障害`, "原因を調査しています。"],
  nl: [(name) => `Storing: ${name}`, "We zoeken de oorzaak."],
  pl: [(name) => `Problemy: ${name}`, "Szukamy przyczyny."],
  pt: [(name) => `Problemas com ${name}`, "Estamos a procurar a causa."],
  zh: [(name) => `${name}出现故障`, "我们正在查找原因。"],
};

/** A page that shows the monitor, with the components that it belongs to and the incidents that are open. */
export interface PlaceOfPost {
  page: StatusPage;
  components: PageComponent[];
  incidents: Incident[];
}

/** Returns the components of a page that the monitor gives its status. */
export const componentsOf = (components: readonly PageComponent[], monitorId: string): PageComponent[] =>
  components.filter((one) => one.monitorIds.includes(monitorId));

const OUTAGES: ReadonlySet<ComponentStatus> = new Set(["degraded_performance", "partial_outage", "major_outage"]);

/** Returns the status that an incident gives a component: what its monitors say, and at least a partial outage. */
function affected({ id, status }: PageComponent): Affected {
  return { id, status: OUTAGES.has(status) ? status as Affected["status"] : "partial_outage" };
}

/** Returns the open incident that names one of the components, the newest one first. */
export function openIncidentOf({ components, incidents }: PlaceOfPost): Incident | undefined {
  const ids = new Set(components.map((one) => one.id));
  return incidents.find((one) => one.components.some(({ id }) => ids.has(id)));
}

/** Returns the name of an incident within its bound, without half of a character at its end. */
const shortened = (name: string): string => {
  const text = name.slice(0, MOST_NAME);
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
};

/** Returns an incident that is ready to be published, in the language of the page. */
export function readyIncident({ page, components }: PlaceOfPost): IncidentValues {
  const [nameOf, body] = TEXTS[page.language] ?? TEXTS.en;
  const chosen = components.map(affected);
  const major = chosen.some((one) => one.status === "major_outage");
  return {
    ...newIncident(), name: shortened(nameOf(components.map((one) => one.name).join(", "))), body, components: chosen,
    impact: major ? "major" : "minor",
  };
}
