// Readers of feeds and calendars that others wrote understand those of a status page, and keep each post as one entry after
// corrections, another slug and a domain.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';
import {parseFeed} from '@rowanmanning/feed-parser';
import {parseJsonFeed, parseRssFeed} from 'feedsmith';
import ICAL from 'ical.js';
import {Place} from './support/place.mjs';
import {startService} from './support/service.mjs';

const hostile = 'Fails & <b>bold</b> ]]> "quoted"; a, b\\n é 漢';
const domain = 'feeds.acme-status.example';

/** The entries of an RSS feed as Debian's python3-feedparser reads them. */
function readByFeedparser(xml) {
  const program = `
import calendar, feedparser, json, sys
feed = feedparser.parse(sys.stdin.buffer.read(), sanitize_html=False)
assert not feed.bozo, feed.bozo_exception
print(json.dumps([{"id": e.id, "title": e.title, "at": calendar.timegm(e.published_parsed) * 1000} for e in feed.entries]))`;
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], {input: xml}).toString());
}

/** The feeds of a page below a path, as each reader sees them: ids with title and time, in the order of the feed. */
async function read(place, below, headers) {
  const ask = async (name, type) => {
    const got = await place.send('GET', `${below}/${name}`, {headers});
    assert.equal(got.status, 200, `${below}/${name}: ${got.body}`);
    assert.match(got.headers['content-type'], type);
    return got.body.toString();
  };
  const xml = await ask('rss', /^application\/rss\+xml/);
  const rss = parseRssFeed(xml), other = parseFeed(xml);
  const json = parseJsonFeed(JSON.parse(await ask('feed.json', /^application\/feed\+json/)));
  const calendar = new ICAL.Component(ICAL.parse(await ask('ical', /^text\/calendar/)));
  const entries = rss.items.map((item) => ({id: item.guid.value, title: item.title, at: Date.parse(item.pubDate)}));
  assert.deepEqual(other.items.map((item) => ({id: item.id, title: item.title, at: Date.parse(item.published)})), entries);
  assert.deepEqual(readByFeedparser(xml), entries);
  // RSS has whole seconds.
  const seconds = (text) => Math.floor(Date.parse(text) / 1000) * 1000;
  assert.deepEqual(json.items.map((item) => ({id: item.id, title: item.title, at: seconds(item.date_published)})), entries);
  assert.equal(rss.atom.links[0].rel, 'self');
  const events = calendar.getAllSubcomponents('vevent').map((part) => new ICAL.Event(part));
  return {entries, json, rss, events};
}

/** Reads again until the page shows a change. */
async function readUntil(shown, ...where) {
  let reason = new Error('the feeds do not show the change');
  for (let attempt = 0; attempt < 50; ++attempt) {
    const got = await read(...where).catch((error) => { reason = error; });
    if (got && shown(got)) return got;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw reason;
}

const keys = (entries) => entries.map(({id, at}) => ({id, at}));

test('readers of others understand the feeds of a status page, and each post stays one entry', async (t) => {
  const service = await startService();
  const place = new Place(service, fs.readFileSync(service.caFile));
  t.after(async () => {
    place.send.close();
    await service.stop();
  });
  const page = await place.must('POST', '/api/status-pages', {name: hostile, slug: 'feeds-one', status: 'published'});
  const path = `/api/status-pages/${page.id}`;
  const incident = await place.must('POST', `${path}/incidents`, {name: hostile, status: 'investigating', body: hostile});
  await place.must('POST', `${path}/incidents/${incident.id}/updates`, {status: 'resolved', body: 'It works again.'});
  const start = Date.now() + 3_600_000;
  const window = await place.must('POST', '/api/maintenance-windows', {
    name: hostile,
    all: true,
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(start + 1_800_000).toISOString(),
    statusPageIds: [page.id],
    announcement: {title: hostile, body: hostile},
  });
  const first = await readUntil((got) => got.entries.length === 3, place, '/api/status-pages/feeds-one');
  assert.ok(first.entries.every((entry) => /^urn:uuid:[0-9a-f-]{36}$/.test(entry.id)));
  assert.ok(first.entries.some((entry) => entry.title.endsWith(hostile)), JSON.stringify(first.entries));
  assert.equal(first.rss.title, hostile);
  assert.equal(first.events.length, 1);
  assert.equal(first.events[0].summary, hostile);
  assert.equal(first.events[0].uid, window.next.id);
  assert.equal(Math.floor(first.events[0].startDate.toJSDate() / 1000), Math.floor(start / 1000));

  const [update] = incident.updates;
  await place.must('PATCH', `${path}/incidents/${incident.id}/updates/${update.id}`, {body: 'corrected'});
  const shows = (got) => got.json.items.some((item) => item.content_text.includes('corrected') && item.date_modified);
  const corrected = await readUntil(shows, place, '/api/status-pages/feeds-one');
  assert.deepEqual(keys(corrected.entries), keys(first.entries));

  await place.must('PATCH', path, {slug: 'feeds-two'});
  const renamed = await readUntil((got) => got.rss.link.endsWith('/feeds-two'), place, `/api/status-pages/${page.id}`);
  assert.deepEqual(keys(renamed.entries), keys(first.entries));
  const former = await place.send('GET', '/api/status-pages/feeds-one/rss');
  assert.equal(former.status, 302);
  assert.equal(former.headers.location, '/api/status-pages/feeds-two/rss');

  execFileSync('psql', [place.postgres, '-qc', `
    UPDATE status_pages SET custom_domain = '${domain}', domain_verified_at = now(), domain_checked_at = now(),
           shown_version = shown_version + 1 WHERE id = '${page.id}'`]);
  const moved = await readUntil((got) => got.rss.link.startsWith(`https://${domain}`), place, '', {Host: domain});
  assert.deepEqual(keys(moved.entries), keys(first.entries));
  assert.equal(moved.events[0].uid, first.events[0].uid);

  await place.must('DELETE', `/api/maintenance-windows/${window.id}`);
  const ended = (got) => got.events[0]?.component.getFirstPropertyValue('status') === 'CANCELLED';
  const cancelled = await readUntil(ended, place, '', {Host: domain});
  assert.equal(cancelled.events[0].uid, first.events[0].uid);
  assert.ok(cancelled.events[0].sequence > first.events[0].sequence);
  assert.equal(cancelled.entries.length, 4);
});
