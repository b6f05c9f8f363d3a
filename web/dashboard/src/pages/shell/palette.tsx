import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { type OwnProject, projectsQuery, useAccount } from "../../api/account";
import { BACKGROUND, publicClient } from "../../api/services";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/sprite";
import { jobState } from "../../parts/states";
import { isUuid } from "../../parts/url_state";
import { organizationPath } from "../organization_address";
import { readJob, readJobs, readRun } from "../project_queries";
import { groupsFor } from "./sidebar";

interface Entry {
  id: string;
  group: string;
  icon: IconName;
  word: string;
  note?: string;
  to: string;
}

const includes = (text: string, words: string) => text.toLowerCase().includes(words.toLowerCase());

/** Returns what a pasted id names in the project. */
async function locate(project: OwnProject, base: string, id: string, signal: AbortSignal): Promise<Entry[]> {
  const api = publicClient(project.id);
  const [job, run] = await Promise.allSettled([readJob(api, id, {}, signal), readRun(api, id, {}, signal)]);
  const found: Entry[] = [];
  if (job.status === "fulfilled") {
    found.push({ id: "job", group: "This id", icon: "jobs", word: job.value.name, note: "Job", to: `${base}/jobs/${id}` });
  }
  if (run.status === "fulfilled") {
    const word = run.value.jobName ?? "Single test";
    found.push({ id: "run", group: "This id", icon: "runs", word, note: "Run", to: `${base}/runs/${id}` });
  }
  return found;
}

function useEntries(project: OwnProject | undefined, projectsOnly: boolean, words: string): Entry[] {
  const { organizations } = useAccount();
  const base = project ? `/${project.organization.slug}/${project.slug}` : "";
  const searchesJobs = Boolean(project) && !projectsOnly && words !== "" && !isUuid(words);
  const projects = useQuery(projectsQuery(words || undefined));
  const jobs = useQuery({
    queryKey: [project?.id, "palette", words],
    queryFn: ({ signal }) => readJobs(publicClient(project!.id), { search: words, sort: "name" }, BACKGROUND, signal, 8),
    enabled: searchesJobs,
  });
  const located = useQuery({
    queryKey: [project?.id, "locate", words],
    queryFn: ({ signal }) => locate(project!, base, words.toLowerCase(), signal),
    enabled: Boolean(project) && !projectsOnly && isUuid(words),
  });
  const entries: Entry[] = [];
  if (located.data && isUuid(words)) entries.push(...located.data);
  if (project && !projectsOnly) {
    for (const place of groupsFor(project.role).flatMap((group) => group.places)) {
      const to = place.to.replace("/$org/$project", base);
      if (includes(place.word, words)) entries.push({ id: to, group: "Pages", icon: place.icon, word: place.word, to });
    }
  }
  if (!projectsOnly && includes("Your account", words)) {
    entries.push({ id: "account", group: "Pages", icon: "users", word: "Your account", to: "/_account" });
  }
  if (!projectsOnly) {
    for (const one of organizations) {
      if (!includes(`Organisation ${one.name}`, words)) continue;
      const word = `Organisation ${one.name}`;
      entries.push({ id: one.id, group: "Pages", icon: "building", word, to: organizationPath(one.slug, "members") });
    }
  }
  if (searchesJobs) {
    for (const job of jobs.data?.rows ?? []) {
      entries.push({ id: job.id, group: "Jobs", icon: "jobs", word: job.name, note: jobState(job).word, to: `${base}/jobs/${job.id}` });
    }
  }
  for (const one of projects.data ?? []) {
    if (one.id === project?.id && !projectsOnly) continue;
    entries.push({
      id: one.id, group: "Projects", icon: "building", word: `${one.organization.name} / ${one.name}`,
      note: one.id === project?.id ? "This project" : undefined, to: `/${one.organization.slug}/${one.slug}/jobs`,
    });
  }
  return entries.slice(0, 50);
}

/** Finds pages, jobs, projects and pasted ids. */
export default function Palette(props: { project?: OwnProject; projectsOnly: boolean; onClose: () => void }) {
  const { project, projectsOnly, onClose } = props;
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const words = useDeferredValue(text.trim());
  const entries = useEntries(project, projectsOnly, words);
  const current = Math.min(selected, entries.length - 1);
  const label = projectsOnly ? "Switch organisation or project" : "Search or jump to";
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate({ to: entry.to });
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) {
      event.preventDefault();
      setSelected((current + step + entries.length) % Math.max(entries.length, 1));
    } else if (event.key === "Enter") choose(entries[current]);
  };
  const groups = [...new Set(entries.map((entry) => entry.group))];
  return (
    <ModalOverlay className="veil" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="palette">
        <Dialog aria-label={label}>
          <div className="palette-input">
            <Icon name="search" />
            <input
              type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" autoFocus
              aria-activedescendant={entries.length ? `palette-${current}` : undefined} aria-label={label} placeholder={label}
              value={text} onKeyDown={press}
              onChange={(event) => {
                setText(event.target.value);
                setSelected(0);
              }}
            />
            <kbd>Esc</kbd>
          </div>
          <div className="menu" id="palette-list" role="listbox" aria-label="Results" ref={list}>
            {groups.map((group) => (
              <div role="group" aria-label={group} key={group}>
                <p className="menu-head" aria-hidden="true">{group}</p>
                {entries.map((entry, at) => entry.group === group && (
                  <div
                    className="menu-item" role="option" id={`palette-${at}`} aria-selected={at === current} key={entry.id}
                    onPointerMove={() => setSelected(at)} onClick={() => choose(entry)}
                  >
                    <Icon name={entry.icon} />
                    <span className="clip">{entry.word}</span>
                    {entry.note && <span className="faint">{entry.note}</span>}
                  </div>
                ))}
              </div>
            ))}
            {entries.length === 0 && <p className="menu-head" role="status">Nothing here has this name or id.</p>}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
