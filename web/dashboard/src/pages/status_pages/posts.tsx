import { useMutation } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ConflictFrame } from "../../parts/conflict_frame";
import { Icon, State } from "../../parts/icon";
import { hasRole } from "../../parts/states";
import { Moment } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { useZone } from "../../parts/use_clock";
import type { StateLook } from "../../parts/states";
import { fieldOf, momentOf } from "../../time/zoned";
import { useProject } from "../project_context";
import { FormBanner, errorFinder } from "./field_errors";
import { BodyField, TimeField } from "./incidents/incident_fields";
import { postErrors } from "./incidents/incident_values";

/** One published text, of an incident or of a window. */
export interface Post {
  id: string;
  status: string;
  body: string;
  automatic: boolean;
  displayAt: string;
  notify: boolean;
  editedAt: string | null;
  updatedAt: string;
}

/** What a correction changes. */
export interface Correction {
  body?: string;
  displayAt?: string;
}

interface PostsProps {
  posts: readonly Post[];
  stateOf: (status: string) => StateLook;
  /** Reads the posts as they are stored now, to find what somebody else has changed meanwhile. */
  read: () => Promise<readonly Post[]>;
  write: (id: string, correction: Correction) => Promise<unknown>;
  onDone: () => void;
}

/** Somebody else has corrected the post first. */
class OutdatedPost extends Error {
  constructor(readonly saved: Post) {
    super("Somebody else has corrected this update.");
  }
}

interface FormProps extends Omit<PostsProps, "posts" | "stateOf"> {
  post: Post;
  onClose: () => void;
}

/** Corrects a published text. A post has no version of its own to send, so the stored text is compared before each save. */
function CorrectionForm({ post, read, write, onDone, onClose }: FormProps) {
  // Several corrections may be open.
  const form = `correction-${post.id}`;
  const [zone] = useState(useZone());
  const [base, setBase] = useState(post);
  const [body, setBody] = useState(post.body);
  const [displayAt, setDisplayAt] = useState(fieldOf(new Date(post.displayAt), zone));
  const [tried, setTried] = useState(false);
  const sameTime = displayAt === fieldOf(new Date(base.displayAt), zone);
  const correction: Correction = {
    ...(body.trim() === base.body ? {} : { body: body.trim() }),
    ...(sameTime || !momentOf(displayAt, zone) ? {} : { displayAt: momentOf(displayAt, zone)!.toISOString() }),
  };
  const save = useMutation({
    mutationFn: async ({ changes, from }: { changes: Correction; from: Post }) => {
      const saved = (await read()).find((one) => one.id === post.id);
      if (saved && saved.updatedAt !== from.updatedAt) throw new OutdatedPost(saved);
      return write(post.id, changes);
    },
    onSuccess: () => {
      toast({ text: "The update was corrected." });
      onDone();
      onClose();
    },
  });
  const saved = save.error instanceof OutdatedPost ? save.error.saved : undefined;
  const wrong = () => postErrors({ body, displayAt: sameTime ? "" : displayAt }, zone, new Date());
  const errors = tried ? wrong() : [];
  const changed = Object.keys(correction).length > 0;
  const unsaved = changed && !save.isSuccess;
  useBlocker({
    shouldBlockFn: () => unsaved && !window.confirm("Leave the form? Your correction is not saved."), enableBeforeUnload: () => unsaved,
  });
  const errorOf = errorFinder(errors, saved ? null : save.error);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (save.isPending || !changed || wrong().length > 0) return;
    save.mutate({ changes: correction, from: base });
  };
  const load = (next: Post) => {
    setBase(next);
    setBody(next.body);
    setDisplayAt(fieldOf(new Date(next.displayAt), zone));
    save.reset();
  };
  const keep = (next: Post) => {
    if (wrong().length > 0) return;
    setBase(next);
    save.mutate({ changes: { body: body.trim(), ...correction }, from: next });
  };
  return (
    <form className="form" noValidate onSubmit={send} aria-label="Correct the update">
      {saved && (
        <ConflictFrame
          thing="update" savedAt={saved.updatedAt} lead="Your correction is not saved and stays in the form." busy={save.isPending}
          saveWord="Save your version" save={() => keep(saved)} load={() => load(saved)}
        >
          <p className="small muted">Saved version</p>
          <bdi className="wrap-any conflict-text">{saved.body}</bdi>
        </ConflictFrame>
      )}
      <FormBanner form={form} failure="The update was not corrected" errors={errors} refusal={saved ? null : save.error} />
      <BodyField form={form} value={body} onChange={setBody} errorOf={errorOf} rows={5} />
      <TimeField
        form={form} name="displayAt" label="Time that visitors see" zone={zone} value={displayAt} onChange={setDisplayAt}
        errorOf={errorOf}
      />
      <div className="form-actions">
        <button className="btn btn-primary" type="submit" aria-disabled={!changed || save.isPending}>Save correction</button>
        <button className="btn" type="button" onClick={onClose}>Cancel</button>
        <span className="small muted">Visitors see that it was edited. Nobody is notified.</span>
      </div>
    </form>
  );
}

interface ItemProps extends Omit<FormProps, "onClose"> {
  stateOf: (status: string) => StateLook;
}

function PostItem({ post, stateOf, ...form }: ItemProps) {
  const { project } = useProject();
  const [open, setOpen] = useState(false);
  const paragraphs = post.body.split(/\n\s*\n/).filter(Boolean);
  const look = stateOf(post.status);
  return (
    <li id={post.id} className="stack g-2">
      <div className="row g-2">
        <State state={look} />
        <span className="small muted"><Moment value={post.displayAt} form="minutes" /></span>
        {post.automatic && <span className="small faint">automatic</span>}
        {!post.notify && <span className="small faint">nobody was notified</span>}
        {!open && !post.automatic && hasRole(project.role, "project_editor") && (
          <button
            className="btn btn-s btn-quiet push" type="button" onClick={() => setOpen(true)}
            aria-label={`Correct the update: ${look.word}, ${post.body.slice(0, 40)}`}
          >
            <Icon name="edit" small />Correct
          </button>
        )}
      </div>
      {open
        ? <CorrectionForm post={post} {...form} onClose={() => setOpen(false)} />
        : paragraphs.map((text, at) => <p className="wrap-any post-text" dir="auto" key={at}>{text}</p>)}
      {!open && paragraphs.length === 0 && <p className="small muted">Visitors read a text in the language of the page.</p>}
      {post.editedAt && !open && <p className="small faint">Edited <Moment value={post.editedAt} form="minutes" /></p>}
    </li>
  );
}

/** Published texts, newest first, each with its correction. */
export function Posts({ posts, ...rest }: PostsProps) {
  return <ol className="list">{posts.map((one) => <PostItem key={one.id} post={one} {...rest} />)}</ol>;
}
