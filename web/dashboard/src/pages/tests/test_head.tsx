import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { copyId } from "../../parts/copy";
import { ActionMenu, type MenuEntry } from "../../parts/menu";
import { Crumbs, PageHead } from "../../parts/page";
import { hasRole } from "../../parts/states";
import { Moment, ZoneName } from "../../parts/time";
import { useTitle } from "../../parts/use_title";
import { useProject } from "../project_context";
import { DeleteTest } from "./delete_test";
import type { Test, TestVersion } from "./test_queries";
import { bytesOf, sizeText } from "./test_values";
import { priorityWord, typeWord } from "./test_words";

/** The way back to the list; `last` is the title of the test. */
export function TestCrumbs({ last }: { last: string }) {
  const { path } = useProject();
  return <Crumbs crumbs={[{ word: "Tests", to: path("tests") }, { word: last }]} />;
}

/** What can be done with a test besides the acts of its page, for the role of the reader. */
export function TestMenu({ test, small, onDeleted }: { test: Test; small?: boolean; onDeleted?: () => void }) {
  const { project } = useProject();
  const [asking, setAsking] = useState(false);
  const entries: (MenuEntry | false)[] = [
    { id: "copy", icon: "copy", word: "Copy id", act: () => copyId(test.id) },
    hasRole(project.role, "project_admin") && { id: "delete", icon: "trash", word: "Delete", act: () => setAsking(true) },
  ];
  return (
    <>
      <ActionMenu
        label={`More for ${test.title}`} small={small} entries={entries.filter((one): one is MenuEntry => one !== false)}
      />
      {asking && (
        <DeleteTest
          test={test} onClose={() => setAsking(false)}
          onDeleted={() => {
            setAsking(false);
            onDeleted?.();
          }}
        />
      )}
    </>
  );
}

export function Tags({ tags }: { tags: Test["tags"] }) {
  return tags.map((tag) => <span className="tag" key={tag.id}>{tag.name}</span>);
}

interface HeadProps {
  version: TestVersion;
  /** The form holds changes that are not saved. */
  changed: boolean;
  acts: ReactNode;
}

/** Heading, acts and facts of one test. */
export function TestHead({ version: { test, script }, changed, acts }: HeadProps) {
  const { path, project } = useProject();
  const navigate = useNavigate();
  const leave = () => void navigate({ to: path("tests"), ignoreBlocker: true, replace: true });
  useTitle(changed ? "Unsaved" : undefined, test.title, project.name);
  return (
    <>
      <TestCrumbs last={test.title} />
      <PageHead title={test.title} lead={test.description ?? undefined} actions={<>{acts}<TestMenu test={test} onDeleted={leave} /></>} />
      <dl className="facts">
        <div><dt>Type</dt><dd>{typeWord(test.type)}</dd></div>
        <div><dt>Priority</dt><dd>{priorityWord(test.priority)}</dd></div>
        {test.tags.length > 0 && <div><dt>Tags</dt><dd className="row g-1"><Tags tags={test.tags} /></dd></div>}
        <div><dt>Last change, <ZoneName /></dt><dd><Moment value={test.updatedAt} /></dd></div>
        <div><dt>Script</dt><dd className="tabular">{sizeText(bytesOf(script))}</dd></div>
      </dl>
    </>
  );
}
