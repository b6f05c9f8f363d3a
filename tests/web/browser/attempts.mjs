// Functions that run in a page of an attacker. Each returns what the page could read: lines of `way path: content`.
// Playwright serialises them, so each is complete by itself.

/** Asks by fetch in all modes, XMLHttpRequest and a beacon, with the browser's cookies. */
export async function askByScript({ own, reads, writes }) {
  const found = [];
  const note = (way, path, content) => {
    if (content) found.push(`${way} ${path}: ${content.slice(0, 80)}`);
  };
  const read = async (way, path, options) => {
    try {
      const answer = await fetch(own + path, { credentials: "include", ...options });
      note(way, path, (answer.type === "opaque" ? "" : `${answer.status} `) + await answer.text());
    } catch {
      // The browser shows nothing of the answer.
    }
  };
  const readOld = (way, method, path, body) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, own + path);
    request.withCredentials = true;
    request.onloadend = () => {
      note(way, path, request.responseText + request.getAllResponseHeaders());
      resolve();
    };
    request.send(body);
  });
  const work = [];
  for (const path of reads) {
    for (const mode of ["cors", "no-cors", "same-origin"]) {
      work.push(read(`fetch ${mode}`, path, { mode }), read(`fetch HEAD ${mode}`, path, { mode, method: "HEAD" }));
    }
    work.push(readOld("XMLHttpRequest", "GET", path));
    work.push(fetch(`/?to=${encodeURIComponent(own + path)}`, { credentials: "include", mode: "no-cors" })
      .then((answer) => answer.text()).then((text) => note("redirected fetch", path, text), () => undefined));
  }
  for (const { method, path, body } of writes) {
    const text = JSON.stringify(body ?? {});
    const json = { "Content-Type": "application/json" };
    work.push(read("fetch JSON", path, { method, body: text, headers: json }), readOld("XMLHttpRequest", method, path, text));
    work.push(read("fetch with the project", path, { method, headers: { "Svc-Project": own } }));
    for (const mode of ["cors", "no-cors"]) {
      work.push(read(`fetch text ${mode}`, path, { method: "POST", mode, body: text, headers: { "Content-Type": "text/plain" } }));
      work.push(read(`fetch empty ${mode}`, path, { method: "POST", mode, keepalive: true }));
    }
    navigator.sendBeacon(own + path, text);
    navigator.sendBeacon(own + path, new Blob([text], { type: "application/json" }));
    navigator.sendBeacon(`/?to=${encodeURIComponent(own + path)}`, text);
  }
  await Promise.all(work);
  return found;
}

/** Loads answers as images, scripts, styles, media and documents inside the page. */
export async function loadAsElements({ own, reads }) {
  const found = [];
  const load = (kind, path, change) => new Promise((resolve) => {
    const element = document.createElement(kind);
    const end = (loaded) => () => {
      let content = "";
      try {
        if (kind === "iframe" || kind === "object") content = element.contentDocument?.body?.textContent ?? "";
        if (kind === "link") content = `${element.sheet.cssRules.length} rules`;
      } catch {
        // The browser shows nothing of another origin.
      }
      if (content) found.push(`${kind} ${path}: ${content.slice(0, 80)}`);
      if (loaded && ["img", "script", "video"].includes(kind)) found.push(`${kind} ${path}: loaded`);
      resolve();
    };
    for (const event of ["load", "loadedmetadata"]) element.addEventListener(event, end(true));
    element.addEventListener("error", end(false));
    change(element, own + path);
    document.body.append(element);
    // An embedded object reports nothing when its content is refused.
    if (kind === "object" || kind === "embed") setTimeout(end(false), 2000);
  });
  const source = (element, url) => { element.src = url; };
  const work = [];
  for (const path of reads) {
    for (const kind of ["img", "script", "video", "iframe", "embed"]) work.push(load(kind, path, source));
    work.push(load("script", path, (element, url) => Object.assign(element, { type: "module", crossOrigin: "use-credentials", src: url })));
    work.push(load("link", path, (element, url) => Object.assign(element, { rel: "stylesheet", href: url })));
    work.push(load("object", path, (element, url) => { element.data = url; }));
    work.push(new Promise((resolve) => {
      const stream = new window.EventSource(own + path, { withCredentials: true });
      stream.onopen = () => found.push(`EventSource ${path}: open`);
      stream.onerror = () => { stream.close(); resolve(); };
    }));
    work.push(new Promise((resolve) => {
      const socket = new WebSocket(own.replace("https", "wss") + path);
      socket.onopen = () => found.push(`WebSocket ${path}: open`);
      socket.onclose = resolve;
    }));
  }
  await Promise.all(work);
  return found;
}

/** Sends forms of each method and type into frames, also by a redirect that keeps method and body. */
export async function sendForms({ own, writes }) {
  const found = [];
  const send = (method, enctype, path, action, body) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.name = `frame-${document.querySelectorAll("iframe").length}`;
    document.body.append(frame);
    const form = Object.assign(document.createElement("form"), { method, enctype, action, target: frame.name });
    if (body) {
      // The usual trick: a form of plain text whose body is JSON.
      const name = `${JSON.stringify(body).slice(0, -1)},"x":"`;
      form.append(Object.assign(document.createElement("input"), { name, value: '"}' }));
    }
    document.body.append(form);
    frame.addEventListener("load", () => {
      try {
        const content = frame.contentDocument?.body?.textContent;
        if (content) found.push(`form ${method} ${path}: ${content.slice(0, 80)}`);
      } catch {
        // The frame belongs to another origin.
      }
      resolve();
    });
    form.submit();
  });
  const work = [];
  for (const { path, body } of writes) {
    work.push(send("GET", "application/x-www-form-urlencoded", path, own + path, body));
    for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
      work.push(send("POST", enctype, path, own + path, body));
    }
    work.push(send("POST", "text/plain", path, `/?to=${encodeURIComponent(own + path)}`, body));
  }
  await Promise.all(work);
  return found;
}

/** Opens a path in a window and returns what the opener can read of it once it has left the empty page. */
export async function openWindow({ own, path }) {
  const opened = window.open(own + path, "_blank");
  const content = () => {
    try {
      return opened.closed ? "" : opened.document.body?.textContent || opened.location.href;
    } catch {
      return "";
    }
  };
  while (content() === "about:blank") await new Promise((resolve) => setTimeout(resolve, 20));
  opened.postMessage("sign out", "*");
  return content();
}
