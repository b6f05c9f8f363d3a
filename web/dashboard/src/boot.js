// Imports the files that the page names. During a deployment another instance may answer that does not have a file, and a module
// that failed once cannot be imported again in this document. Then each file is asked for until an instance sends it, and the page is
// loaded again, with the files in the browser's cache. parts/reload.tsx does the same for later pages.
const REPEATS = "svc_boot_repeats";
const MINUTE = 60_000;
// Each time the page may come from an instance with other files.
const MOST_REPEATS = 4;
const PAUSES = [100, 200, 300, 500, 800, 1200, 1800, 2500];
const named = (name) => document.querySelector(`meta[name="${name}"]`)?.content.split(" ").filter(Boolean) ?? [];

async function load(address) {
  for (const pause of [...PAUSES, undefined]) {
    try {
      const answer = await fetch(address);
      await answer.arrayBuffer();
      if (answer.ok) return;
    } catch {
      // The connection broke; the next try makes another one.
    }
    if (pause === undefined) throw new Error(`${address} is missing`);
    // Two tries may not meet the same turn of a load balancer.
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

async function repair(link) {
  if (link.sheet) return;
  await load(link.href);
  const copy = link.cloneNode();
  await new Promise((resolve) => {
    copy.onload = copy.onerror = resolve;
    link.replaceWith(copy);
  });
}

// The reads that a page waits for start here, while its script is loaded and parsed. api/early_reads.ts takes the answers, and the
// page itself asks for all else, as does a script of another version. Own words are those of pages/page_address.ts.
const OWN_WORDS = ["account", "api", "assets", "go", "invitation", "link", "sign-in"];
const JOBS = ["/api/jobs?limit=50&sort=name"];
const LISTS = {
  "": JOBS, jobs: JOBS, overview: ["/dashboard/v1/overview", "/dashboard/v1/outages?limit=5&open=true"], runs: ["/api/runs?limit=50"],
  monitors: ["/api/monitors?limit=50&sort=status"], tests: ["/api/tests?limit=50"], tags: ["/api/tags?limit=100"],
  variables: ["/api/variables?limit=100"],
};
const THINGS = { jobs: "", runs: "", monitors: "?recentResults=10" };
const [first = "", second = "", third = "", fourth = "", fifth = ""] = location.pathname.split("/").slice(2);
const isGate = !second && ["invitation", "link", "sign-in"].includes(first);
// The pages of the first script; all others need the later one.
const isFirst = isGate || !second || ["", "jobs", "overview"].includes(third) && fourth !== "new" && !fifth || third === "runs" && !fourth;
const reads = (globalThis.svcReads = []);

function read(address, project = "") {
  const answer = fetch(address, project ? { headers: { "Svc-Project": project } } : {}).catch(() => undefined);
  reads.push({ address, project, answer, startedAt: performance.now() });
  return answer;
}

async function readFirst() {
  if (isGate) return;
  read("/dashboard/v1/me");
  if (!first) read("/dashboard/v1/projects?limit=100");
  if (!second || second === "_" || OWN_WORDS.includes(first)) return;
  const organization = first.replace(/^_/, "");
  const found = await read(`/dashboard/v1/projects?limit=100&search=${encodeURIComponent(`${organization}/${second}`)}`);
  if (!found?.ok) return;
  const { data } = await found.clone().json();
  const project = data.find((one) => one.organization.slug === organization && one.slug === second);
  if (!project || fifth) return;
  if (!fourth && !location.search && Object.hasOwn(LISTS, third)) LISTS[third].forEach((list) => read(list, project.id));
  else if (/^[0-9a-f-]{36}$/.test(fourth) && Object.hasOwn(THINGS, third)) read(`/api/${third}/${fourth}${THINGS[third]}`, project.id);
}

// All modules at once, so that the browser does not find those of the second group only when the entry has run.
async function importAll(app) {
  await Promise.all(app.map((address) => import(address)));
  globalThis.svcLoaded = app;
  await import(named("svc-entry")[0]);
}

async function repeat(files, error) {
  const recent = (sessionStorage.getItem(REPEATS) ?? "").split(" ").filter((time) => Date.now() - time < MINUTE);
  if (recent.length >= MOST_REPEATS) throw error;
  sessionStorage.setItem(REPEATS, [...recent, Date.now()].join(" "));
  await Promise.all(files.map(load));
  location.reload();
  await new Promise(() => {});
}

async function start() {
  globalThis.svcReadsStarted = readFirst().catch(() => {});
  // The page asks for the files again, and then they are in the browser's cache.
  if (!isFirst) for (const name of named("svc-later")) load(name).catch(() => {});
  const app = isGate ? [] : named("svc-app");
  try {
    await Promise.all([...document.querySelectorAll('link[rel="stylesheet"]')].map(repair));
    await importAll(app).catch((error) => repeat([...named("svc-first"), ...app], error));
  } catch (error) {
    console.error(error);
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.className = "blank";
    note.textContent = "The dashboard is being updated. Reload the page in a minute.";
    document.getElementById("root").replaceChildren(note);
  }
}

start();
