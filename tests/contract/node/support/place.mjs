// Resources for operations to act on, created through the API of the running service.
import {execFileSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {makeHeartbeat} from './heartbeat.mjs';
import {bearer, client, json} from './http.mjs';

// The ids of the test, the tag, the monitor and the component that the documented bodies refer to.
const documentedTest = '01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70';
const documentedTag = '01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70';
const documentedMonitor = '01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70';
const documentedComponent = '01934f2e-a002-7d3e-9b1f-5a2c8e4d6f70';

let names = 0;
const name = () => `n${++names}-${randomUUID().slice(0, 8)}`;

export class Place {
  constructor(service, ca) {
    this.send = client(service.url, {ca});
    this.token = service.token;
    this.triggerKey = service.triggerKey;
    this.postgres = service.postgresUrl;
  }

  async must(method, target, body) {
    const part = body === undefined ? {headers: {}} : json(body);
    const answer = await this.send(method, target, {...part, headers: {...part.headers, ...bearer(this.token)}});
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.body}`);
    return answer.body.length > 0 ? JSON.parse(answer.body) : undefined;
  }

  async id(target, body, member) {
    const made = await this.must('POST', target, body);
    return (member ? made[member] : made).id;
  }

  /** Resources that are kept: those that documented bodies name, and those that other resources belong to. */
  async furnish() {
    this.test = await this.make.tests();
    this.tag = await this.make.tags();
    this.job = await this.make.jobs();
    this.monitor = await this.make.monitors();
    this.page = await this.make['status-pages']();
    this.component = await this.make.components(this.page);
    this.incident = await this.make.incidents(this.page);
    this.window = await this.make['maintenance-windows']();
    this.incidentUpdate = await this.make['incident-updates'](this.incident);
    this.windowUpdate = await this.make['window-updates'](this.window);
    return this;
  }

  /** Create what a path names, by the segment before `{id}`; `at` is the resource above it in the path. */
  make = {
    'tests': () => this.id('/api/tests', {title: name(), type: 'command', script: 'exit 0'}),
    'tags': () => this.id('/api/tags', {name: name()}),
    'variables': () => this.id('/api/variables', {key: name().toUpperCase().replaceAll('-', '_'), value: 'v'}),
    'notification-providers': () =>
        this.id('/api/notification-providers',
                {name: name(), type: 'slack', config: {webhookUrl: 'https://hooks.example.org/T1/B1'}}),
    'jobs': () => this.id('/api/jobs', {
      name: name(),
      jobType: 'command',
      tests: [{id: this.test}],
      parameters: [{name: 'BRANCH', default: 'main'}],
    }),
    'monitors': () =>
        this.id('/api/monitors', {name: name(), type: 'website', target: 'https://shop.example.org/', enabled: false}),
    'checked-monitors': () => this.id('/api/monitors', {
      name: name(),
      type: 'port_check',
      target: '127.0.0.1',
      frequencyMinutes: 1440,
      config: {port: 1, retryStrategy: {maxRetries: 0}},
    }),
    'heartbeat-monitors': () =>
        this.id('/api/monitors', {name: name(), type: 'heartbeat', config: {schedule: {everySeconds: 3600}}}),
    'deleted-monitors': async () => {
      const monitor = await this.make.monitors();
      await this.must('DELETE', `/api/monitors/${monitor}`);
      return monitor;
    },
    'maintenance-windows': () => this.make['active-windows'](),
    'active-windows': () => this.id('/api/maintenance-windows', {
      name: name(),
      monitorIds: [this.monitor],
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
      ...(this.page ? {statusPageIds: [this.page]} : {}),
    }),
    // A draft notifies nobody, so no limit of notifications applies.
    'status-pages': () => this.id('/api/status-pages', {name: name(), slug: name(), customDomain: 'status.example.org'}),
    'components': (page) => this.id(`/api/status-pages/${page}/components`, {name: name()}),
    // A page has few open incidents.
    'incidents': (page) =>
        this.id(`/api/status-pages/${page}/incidents`, {name: name(), status: 'resolved', body: 'b'}),
    'incident-updates': (incident) =>
        this.id(`/api/status-pages/${this.page}/incidents/${incident}/updates`, {status: 'monitoring', body: 'b'}),
    'window-updates': (window) => this.id(`/api/maintenance-windows/${window}/updates`, {body: 'b'}),
    // Whoever subscribes confirms it by a link in a mail.
    'subscribers': (page) => execFileSync('psql', [this.postgres, '-qtAc', `
      INSERT INTO page_subscribers (id, project_id, page_id, email, digest, state, confirmed_at)
      SELECT gen_random_uuid(), project_id, id, '${name()}@example.com', sha256(gen_random_uuid()::text::bytea), 'active', now()
        FROM status_pages WHERE id = '${page}' RETURNING id`], {encoding: 'utf8'}).trim(),
    // No route makes one: a target would have to fail.
    'outages': (monitor) => execFileSync('psql', [this.postgres, '-qtAc', `
      INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, cause_location, locations_down)
      SELECT gen_random_uuid(), project_id, id, now(), now(), 3, 'refused', 'local', '{local}' FROM monitors
       WHERE id = '${monitor}' RETURNING id`], {encoding: 'utf8'}).trim(),
    // Nor an alert: a message would have to be given up.
    'alerts': async () => {
      const provider = await this.make['notification-providers']();
      return execFileSync('psql', [this.postgres, '-qtAc', `
        INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name, status)
        SELECT gen_random_uuid(), project_id, 'monitor_error', 'monitor', id, name, gen_random_uuid(), 0, '${provider}', 'p', 'failed'
          FROM monitors WHERE id = '${this.monitor}' RETURNING id`], {encoding: 'utf8'}).trim();
    },
    'cli-tokens': () => this.id('/api/cli-tokens', {name: name()}, 'token'),
    'trigger-keys': (job) => this.id(`/api/jobs/${job}/trigger-keys`, {name: name()}, 'triggerKey'),
    'runs': async () => (await this.must('POST', `/api/jobs/${this.job}/trigger`)).data.runId,
    // A path that a key is in, and what may follow it.
    'heartbeats': async () => makeHeartbeat(this.postgres, this.job),
    '{key}': async () => 'log',
    'cli': async () => 'install.sh',
    'ended-runs': async () => {
      const run = await this.make.runs();
      await this.must('POST', `/api/runs/${run}/cancel`);
      return run;
    },
  };

  /** The kind of resource that precedes a `{...}` in the operation's path. */
  static kind(operation, segment) {
    const other = {
      restore_monitor: 'deleted-monitors',
      check_monitor: 'checked-monitors',
      rotate_heartbeat_key: 'heartbeat-monitors',
    }[operation.id];
    if (other && segment === 'monitors') return other;
    if (operation.id === 'end_maintenance_window') return 'active-windows';
    if (segment === 'updates') return operation.path.includes('/incidents/') ? 'incident-updates' : 'window-updates';
    const ended = ['stream_run', 'get_run_output', 'delete_run'].includes(operation.id);
    return segment === 'runs' && ended ? 'ended-runs' : segment;
  }

  /** The kept resource to which the things of the operation belong; undefined: none. */
  kept(operation, kind) {
    const updates = operation.path.includes('/updates');
    if (kind === 'status-pages' && operation.path.split('/').length > 4) return this.page;
    if (kind === 'incidents' && updates) return this.incident;
    return kind === 'maintenance-windows' && updates ? this.window : undefined;
  }

  /** The operation's path with ids of kept or new resources; `ids` are these, outermost first. */
  async target(operation) {
    const ids = [];
    let target = '';
    let before = '';
    for (const segment of operation.path.split('/').slice(1)) {
      if (segment.startsWith('{')) {
        const kind = Place.kind(operation, before);
        ids.push(this.kept(operation, kind) ?? await this.make[kind](ids.at(-1)));
      }
      target += '/' + (segment.startsWith('{') ? ids.at(-1) : segment);
      before = segment;
    }
    return {target, ids};
  }

  /** The documented bodies, referring to resources that exist here; [undefined] when there are none. */
  bodies(operation) {
    const shown = operation.body?.schema.examples ?? [undefined];
    return shown.map((body) => body && JSON.parse(
        JSON.stringify(body).replaceAll(documentedTest, this.test).replaceAll(documentedTag, this.tag)
            .replaceAll(documentedMonitor, this.monitor)
            .replaceAll(documentedComponent, this.component)
            .replaceAll('"slug":"acme', `"slug":"${name()}`)));
  }
}
