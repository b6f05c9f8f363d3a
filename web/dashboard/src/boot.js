// Loads the files that the page names, and then its entry. During a deployment another instance may answer that does not have a
// file, so each is asked for until an instance sends it. A module that failed once could not be imported again in this document,
// therefore the files are in the browser's cache before the first import. parts/reload.ts does the same for later pages.
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

async function start() {
  try {
    await Promise.all([
      ...named("svc-first").map(load), ...[...document.querySelectorAll('link[rel="stylesheet"]')].map(repair),
    ]);
    await import(named("svc-entry")[0]);
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
