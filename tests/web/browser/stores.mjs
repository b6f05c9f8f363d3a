import { readFileSync, readdirSync } from "node:fs";
import { service } from "./fixtures.mjs";

/** Returns a process and all processes that it has started. */
function withChildren(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      // The name in parentheses may hold anything; the parent is the second field behind it.
      parents.set(Number(name), Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ")[1]));
    } catch {
      // It has ended since.
    }
  }
  const all = [pid];
  for (const one of all) for (const [child, parent] of parents) if (parent === one) all.push(child);
  return all;
}

/** Stops a store of `svcd dev` (`postgres` or `redis`) as a machine that hangs would; returns what lets it go on. */
export function stopStore(name) {
  const stopped = withChildren(service.pids[name]);
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  return () => {
    for (const pid of stopped.reverse()) {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // A connection's process may have ended.
      }
    }
  };
}
