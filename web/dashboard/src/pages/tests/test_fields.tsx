import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { LoadError } from "../../parts/feedback";
import { FieldNote, SelectField, TextField } from "../../parts/field";
import { useProject } from "../project_context";
import { useTags } from "../tags/use_tags";
import { type FieldError, MOST_TAGS_OF_TEST, type TestValues } from "./test_values";
import { PRIORITIES, TYPES, toolWords } from "./test_words";

interface FieldsProps {
  values: TestValues;
  errors: readonly FieldError[];
  onChange: (part: Partial<TestValues>) => void;
}

function TagFields({ values, errors, onChange }: FieldsProps) {
  const { path } = useProject();
  const tags = useTags();
  const rows = tags.data ?? [];
  // A tag that was deleted since stays until somebody clears it.
  const unknown = tags.data ? values.tags.filter((id) => !rows.some((tag) => tag.id === id)) : [];
  const toggle = (id: string, on: boolean) =>
    onChange({ tags: on ? [...values.tags, id] : values.tags.filter((one) => one !== id) });
  const box = (id: string, word: ReactNode) => (
    <label className="check" key={id}>
      <input
        type="checkbox" name={`tag-${id}`} checked={values.tags.includes(id)} onChange={(event) => toggle(id, event.target.checked)}
      />
      <span>{word}</span>
    </label>
  );
  return (
    <fieldset className="stack g-2" id="test-tags" tabIndex={-1}>
      <legend className="label">Tags, at most {MOST_TAGS_OF_TEST}</legend>
      {tags.error && <LoadError what="The tags" error={tags.error} retry={() => void tags.refetch()} />}
      <div className="row g-4">
        {rows.map((tag) => box(tag.id, tag.name))}
        {unknown.map((id) => box(id, <>A deleted tag <code>{id.slice(0, 8)}</code></>))}
      </div>
      {tags.data?.length === 0 && (
        <p className="muted small">The project has no tags yet. <Link to={path("tags")}>Create one</Link> to group tests by it.</p>
      )}
      <FieldNote id="test-tags-note" error={errors.find((one) => one.id === "test-tags")?.text} />
    </fieldset>
  );
}

/** The fields of a test besides its script. */
export function TestFields(props: FieldsProps) {
  const { values, errors, onChange } = props;
  const errorOf = (id: string) => errors.find((one) => one.id === id)?.text;
  return (
    <>
      <TextField
        label="Title" id="test-title" name="title" value={values.title} onChange={(title) => onChange({ title })} maxLength={255}
        autoComplete="off" error={errorOf("test-title")}
      />
      <TextField
        label="Description" id="test-description" name="description" optional value={values.description} maxLength={2000}
        autoComplete="off" onChange={(description) => onChange({ description })} error={errorOf("test-description")}
      />
      <div className="form-row">
        <SelectField
          label="Type" name="type" value={values.type} options={TYPES} hint={errorOf("test-type") ?? toolWords(values.type)}
          onChange={(type) => onChange({ type: type as TestValues["type"] })}
        />
        <SelectField
          label="Priority" name="priority" value={values.priority} options={PRIORITIES}
          onChange={(priority) => onChange({ priority: priority as TestValues["priority"] })}
        />
      </div>
      <TagFields {...props} />
    </>
  );
}
