import { useMutation } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ActError } from "./feedback";
import { TextField, detailsByField, sentence } from "./field";
import { toast } from "./toasts";

interface NameProps {
  /** Such as "project". */
  thing: string;
  name: string;
  slug: string;
  save: (name: string) => Promise<void>;
}

/** Changes the name of a thing whose short name stays. */
export function NameForm({ thing, name: saved, slug, save }: NameProps) {
  const [name, setName] = useState(saved);
  const write = useMutation({
    mutationFn: () => save(name.trim()), onSuccess: () => toast({ text: `The name of the ${thing} was saved.` }),
  });
  const changed = name !== saved && !write.isSuccess;
  useBlocker({
    shouldBlockFn: () => changed && !window.confirm("Leave the form? The name is not saved."), enableBeforeUnload: () => changed,
  });
  const detail = detailsByField(write.error).get("/name");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && name.trim() && !write.isPending) write.mutate();
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      {write.error && !detail && <ActError title="The name was not saved" error={write.error} />}
      <TextField
        label="Name" name="name" value={name} onChange={(value) => (setName(value), write.reset())} maxLength={255} autoComplete="off"
        error={!name.trim() ? "Enter a name." : detail && sentence(detail)}
      />
      <TextField label="Short name" name="slug" value={slug} onChange={() => {}} readOnly mono hint="Addresses have it, so it stays." />
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={!changed || write.isPending}>Save name</button>
      </div>
    </form>
  );
}
