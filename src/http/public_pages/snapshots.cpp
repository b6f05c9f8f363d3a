#include "http/public_pages/snapshots.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace svc::public_pages {
namespace {

/// The time from the start of a refresh for which visitors of a known page wait. Then they get the last snapshot, so
/// that a frozen database delays only the first of them.
constexpr milliseconds snapshot_patience{500};
constexpr milliseconds source_patience{2000};
constexpr milliseconds copy_patience{300};
constexpr milliseconds put_patience{2000};
constexpr milliseconds slot_pause{10};

std::size_t memory_of(std::vector<pages::post> const& posts) {
  std::size_t out = 0;
  for (auto const& each : posts) out += sizeof(each) + each.body.size();
  return out;
}

}  // namespace

std::size_t memory_of(published_page const& page) {
  auto const& snapshot = page.snapshot;
  std::size_t out = sizeof(page) + snapshot.page.description.size();
  for (auto const& each : snapshot.components)
    out += sizeof(each) + each.name.size() + each.description.size() + each.days.size() * sizeof(pages::day_bar);
  for (auto const& each : snapshot.incidents)
    out += sizeof(each) + each.name.size() + each.components.size() * sizeof(pages::affected_component) +
           memory_of(each.posts);
  for (auto const& each : snapshot.maintenance)
    out += sizeof(each) + each.name.size() + each.components.size() * sizeof(uuid) + memory_of(each.posts);
  return out;
}

timestamp snapshots::now() const {
  auto const known = clock_.now();
  return known ? *known : parts_.now();
}

task<held_page> snapshots::find(uuid id, deadline until) {
  auto held = cache_.find(id);
  auto const now = steady::now();
  bool const away = parts_.health.away(now);
  if (held && !held->is_copy && !away && now - held->asked < question_interval)
    co_return held_page{held->page, held->generation, page_origin::memory};
  if (!away) {
    auto flight = flights_.find(id);
    if (!flight) {
      flight = flights_.lead(id);
      spawn_task(parts_.io, fly(id, flight));
    }
    bool const known = held && held->page;
    auto const patience = deadline(std::min(until.at(), flight->begun + snapshot_patience));
    co_await flights::wait(flight, known ? patience : until);
    if (flight->done && flight->outcome.found) {
      auto const& found = *flight->outcome.found;
      co_return held_page{found.page, found.generation, flight->outcome.origin};
    }
  }
  co_return co_await fall_back(id, std::move(held), until);
}

task<> snapshots::fly(uuid id, flights::flight_ptr flight) {
  try {
    flight->outcome = co_await refresh(id);
    parts_.health.answered();
  } catch (unavailable const&) {
    parts_.health.failed(steady::now());
  } catch (std::exception const& bug) {
    log::error("a status page could not be built", {{"page", id.to_string()}, {"reason", bug.what()}});
  }
  flights_.remove(id, flight);
  flights::complete(flight);
}

task<snapshots::outcome> snapshots::refresh(uuid id) {
  auto const held = cache_.find(id);
  auto const asked = steady::now();
  auto const until = deadline::after(source_patience);
  if (held && held->page && !held->is_copy) {
    auto const version = co_await parts_.source.version(id, until);
    clock_.learn(version.now, asked, steady::now());
    if (!version.number) co_return drop(id, asked);
    if (*version.number == held->page->version && asked - held->built < rebuild_interval) {
      held->asked = asked;
      co_return outcome{held, page_origin::memory};
    }
  }
  co_return co_await rebuild(id, held, asked, until);
}

task<snapshots::outcome> snapshots::rebuild(uuid id, entry_ptr held, steady::time_point asked, deadline until) {
  auto const owner = held && held->page ? held->page->project : id;
  auto slot = parts_.slots.take(owner);
  if (!slot && held && held->page) co_return outcome{held, page_origin::stale};
  if (!slot) slot = co_await wait_for_slot(owner, until);
  if (!slot) co_return outcome{};
  auto const start = steady::now();
  auto page = co_await parts_.source.build(id, until);
  auto const end = steady::now();
  parts_.rebuilds.observe(std::chrono::duration<double>(end - start).count());
  if (!page) co_return drop(id, asked);
  clock_.learn(page->snapshot.as_of, start, end);
  co_return keep(id, held, std::move(page), asked);
}

task<rebuild_slots::slot> snapshots::wait_for_slot(uuid owner, deadline until) {
  steady_timer pause(parts_.io);
  auto slot = parts_.slots.take(owner);
  while (!slot && !until.passed()) {
    pause.expires_after(slot_pause);
    co_await pause.async_wait(awaiting);
    slot = parts_.slots.take(owner);
  }
  co_return slot;
}

/// A copy in Redis may be newer than the worker's snapshot, because other instances may still reach the database.
task<held_page> snapshots::fall_back(uuid id, entry_ptr held, deadline until) {
  auto const now = steady::now();
  bool const known = held && held->page;
  if (known && now - held->copied < rebuild_interval)
    co_return held_page{held->page, held->generation, held->is_copy ? page_origin::redis : page_origin::stale};
  // Only the first visitor waits for a Redis that is frozen, too.
  if (known) held->copied = now;
  auto copy = co_await parts_.copies.read(id, until.within(copy_patience));
  bool const newer = copy.value && (!known || copy.value->snapshot.as_of > held->page->snapshot.as_of);
  if (!newer && !known) throw unavailable("no store has the status page");
  if (!newer)
    co_return held_page{held->page, held->generation, held->is_copy ? page_origin::redis : page_origin::stale};
  auto const made = std::make_shared<entry>(entry{.page = std::move(copy.value),
                                                  .generation = ++generation_,
                                                  .asked = now,
                                                  .built = now,
                                                  .copied = now,
                                                  .is_copy = true});
  cache_.keep(id, made->page->project, made, memory_of(*made->page));
  co_return held_page{made->page, made->generation, page_origin::redis};
}

snapshots::outcome snapshots::keep(uuid id, entry_ptr const& before, page_ptr page, steady::time_point asked) {
  auto const made = std::make_shared<entry>(entry{.page = std::move(page),
                                                  .generation = ++generation_,
                                                  .asked = asked,
                                                  .built = asked,
                                                  .copied = before ? before->copied : steady::time_point()});
  if (!before || is_copy_due(*before, *made)) {
    made->copied = asked;
    spawn_task(parts_.io, parts_.copies.put(made->page, deadline::after(put_patience)));
  }
  cache_.keep(id, made->page->project, made, memory_of(*made->page));
  return {made, page_origin::database};
}

bool snapshots::is_copy_due(entry const& before, entry const& after) const {
  bool const changed = before.is_copy || !before.page || before.page->version != after.page->version;
  return changed || after.asked - before.copied >= copy_interval;
}

snapshots::outcome snapshots::drop(uuid id, steady::time_point asked) {
  auto const before = cache_.find(id);
  if (before && before->page) spawn_task(parts_.io, parts_.copies.remove(id, deadline::after(put_patience)));
  auto const made = std::make_shared<entry>(entry{.generation = ++generation_, .asked = asked, .built = asked});
  cache_.keep(id, uuid(), made, sizeof(entry));
  return {made, page_origin::database};
}

}  // namespace svc::public_pages
