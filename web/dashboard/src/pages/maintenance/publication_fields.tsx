import { useQueries } from "@tanstack/react-query";
import { LoadError } from "../../parts/feedback";
import { FieldNote, TextField } from "../../parts/field";
import { useProject } from "../project_context";
import { TextArea } from "../status_pages/field_errors";
import { type StatusPage, readComponents, useStatusPages } from "../status_pages/page_queries";
import { publicationState } from "../status_pages/page_states";
import { MOST_HOURS, MOST_TEXT, MOST_TITLE, type WindowValues, idOf } from "./window_values";

interface PartProps {
  values: WindowValues;
  set: (part: Partial<WindowValues>) => void;
  errorOf: (name: string) => string | undefined;
}

/** The components of these pages, by page. */
export function useComponentsOf(ids: readonly string[]) {
  const { api, key } = useProject();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: [key, "status-pages", "component-choice", id], staleTime: 60_000,
      queryFn: ({ signal }: { signal: AbortSignal }) => readComponents(api, id, {}, signal),
    })),
  });
}

interface BoxProps {
  name: string;
  word: string;
  note?: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}

function Box({ name, word, note, checked, onChange }: BoxProps) {
  return (
    <label className="check">
      <input type="checkbox" name={name} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span className="wrap-any" dir="auto">{word}{note && <span className="faint"> {note}</span>}</span>
    </label>
  );
}

const toggled = (ids: readonly string[], id: string, on: boolean): string[] => (on ? [...ids, id] : ids.filter((one) => one !== id));

interface ChoiceProps extends PartProps {
  pages: readonly StatusPage[];
  /** The answers with the components of these pages. */
  components: ReturnType<typeof useComponentsOf>;
}

function ComponentChoice({ values, set, errorOf, pages, components }: ChoiceProps) {
  const several = pages.length > 1;
  return (
    <fieldset className="stack g-2" id={idOf("componentIds")} tabIndex={-1}>
      <legend className="label">Components under maintenance</legend>
      <div className="row g-4">
        {pages.flatMap((page, at) => components[at]?.data?.map((one) => (
          <Box
            key={one.id} name={`component-${one.id}`} word={one.name} note={several ? page.name : undefined}
            checked={values.componentIds.includes(one.id)}
            onChange={(on) => set({ componentIds: toggled(values.componentIds, one.id, on) })}
          />
        )))}
      </div>
      <FieldNote
        id={`${idOf("componentIds")}-note`} error={errorOf("componentIds")}
        hint="Without a choice these are the components whose monitors the window covers."
      />
    </fieldset>
  );
}

function AnnouncementFields({ values, set, errorOf }: PartProps) {
  return (
    <>
      <TextField
        label="Title of the announcement" id={idOf("title")} name="title" optional value={values.title} maxLength={MOST_TITLE}
        autoComplete="off" onChange={(title) => set({ title })} error={errorOf("title")}
        hint="Without one visitors read the name and the description of the window."
      />
      <TextArea
        label="Text of the announcement" id={idOf("text")} name="text" optional value={values.text} most={MOST_TEXT}
        onChange={(text) => set({ text })} error={errorOf("text")} hint="Plain text. Blank lines separate paragraphs."
      />
      <TextField
        label="Announced before each start, hours" id={idOf("announceHours")} name="announceHours" inputMode="numeric" autoComplete="off"
        value={values.announceHours} onChange={(announceHours) => set({ announceHours })} error={errorOf("announceHours")}
        hint={`From 0 to ${MOST_HOURS}.`}
      />
      <Box
        name="notify" word="Notify subscribers and providers of the pages" checked={values.notify} onChange={(notify) => set({ notify })}
      />
    </>
  );
}

/** Where and how visitors learn of the window. A project without a status page has nothing to choose. */
export function PublicationFields(props: PartProps) {
  const { values, set, errorOf } = props;
  const pages = useStatusPages();
  const rows = pages.data?.filter((one) => one.status !== "archived" || values.statusPageIds.includes(one.id)) ?? [];
  const chosen = rows.filter((one) => values.statusPageIds.includes(one.id));
  const components = useComponentsOf(chosen.map((one) => one.id));
  const choose = (page: StatusPage, on: boolean) => {
    const statusPageIds = toggled(values.statusPageIds, page.id, on);
    // Components belong to their pages, so no component stays without its page.
    const others = components.flatMap((one, at) => (chosen[at]?.id === page.id ? [] : one.data ?? []));
    const kept = values.componentIds.filter((id) => others.some((one) => one.id === id));
    set({ statusPageIds, ...(on ? {} : { componentIds: kept }) });
  };
  if (pages.error && !pages.data) return <LoadError what="The status pages" error={pages.error} retry={() => void pages.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <>
      <fieldset className="stack g-2" id={idOf("statusPageIds")} tabIndex={-1}>
        <legend className="label">Announced on status pages</legend>
        <div className="row g-4">
          {rows.map((one) => (
            <Box
              key={one.id} name={`page-${one.id}`} word={one.name}
              note={one.status === "published" ? undefined : publicationState(one.status).word.toLowerCase()}
              checked={values.statusPageIds.includes(one.id)} onChange={(on) => choose(one, on)}
            />
          ))}
        </div>
        <FieldNote id={`${idOf("statusPageIds")}-note`} error={errorOf("statusPageIds")} />
      </fieldset>
      {values.statusPageIds.length > 0 && <ComponentChoice {...props} pages={chosen} components={components} />}
      {values.statusPageIds.length > 0 && <AnnouncementFields {...props} />}
    </>
  );
}
