// Resources that fuzzed requests act on: some of each kind, created when there are none, never too many.
import {bearer} from './http.mjs';
import {Place} from './place.mjs';

const most = 8;  // of a kind: below every limit of the service

export class Pools {
  constructor(place) {
    this.place = place;
    // A resource with all of its updates takes no further one.
    this.ids = new Map([['incident-updates', [place.incidentUpdate]], ['window-updates', [place.windowUpdate]]]);
  }

  async #pick(kind, number) {
    // They belong to resources that are kept, so that a deletion of others does not end them.
    const {job, monitor, page, incident, window} = this.place;
    const above = {
      'trigger-keys': job,
      'outages': monitor,
      'components': page,
      'incidents': page,
      'subscribers': page,
      'incident-updates': incident,
      'window-updates': window,
    }[kind];
    if (!this.ids.get(kind)?.length) {
      const made = await this.place.make[kind](above);
      this.ids.set(kind, [...(this.ids.get(kind) ?? []), made]);
    }
    const list = this.ids.get(kind);
    return list[number % list.length];
  }

  /** The operation's path with a plan's ids: `pick` is an existing resource, otherwise `value` as it is. */
  async path(operation, plan) {
    const segments = operation.path.split('/').slice(1);
    let number = 0;
    let before = '';
    let path = '';
    for (const segment of segments) {
      if (!segment.startsWith('{')) {
        path += '/' + (before = segment);
        continue;
      }
      const {pick, value} = plan[number++];
      const kind = Place.kind(operation, before);
      before = segment;
      const standing = kind === 'jobs' && segments.includes('trigger-keys') ? this.place.job :
          kind === 'monitors' && segments.includes('outages')             ? this.place.monitor :
                                                                            this.place.kept(operation, kind);
      path += '/' + (pick === undefined ? value : standing ?? await this.#pick(kind, pick));
    }
    return path;
  }

  /** What a request has created becomes available to others; what it has deleted does not stay so. */
  async note(operation, target, answer) {
    if (answer.status >= 300) return;
    const segments = target.split('?')[0].split('/');
    if (operation.method === 'DELETE') {
      for (const [kind, list] of this.ids) this.ids.set(kind, list.filter((id) => id !== segments.at(-1)));
      return;
    }
    // A window that a monitor's path makes is one of the project.
    const shelf = segments.at(-1) === 'maintenance' ? '/api/maintenance-windows' : segments.join('/');
    const kind = shelf.split('/').at(-1);
    if (answer.status !== 201 || !(kind in this.place.make)) return;
    const made = JSON.parse(answer.body);
    const id = made.id ?? made.token?.id ?? made.triggerKey?.id;
    const list = [...(this.ids.get(kind) ?? []), id];
    this.ids.set(kind, list.slice(-most));
    for (const old of list.slice(0, -most)) {
      await this.place.send('DELETE', `${shelf}/${old}`, {headers: bearer(this.place.token)});
    }
  }
}
