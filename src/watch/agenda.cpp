#include "svc/watch/agenda.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::watch {

void agenda::plan(entry& e, std::int64_t slot, std::int64_t due) {
  e.turn = ++turns_;
  heap_.push({due, due, slot, e.turn, e.of.id});
}

void agenda::plan_first(entry& e, std::int64_t now) {
  auto const interval = interval_of(e);
  auto const newest = slot_at(phase_in(e), interval, now);
  auto const last = e.of.knows.last_slot;
  auto const changed = e.of.changed_at.micros / 1000;
  // The time of the change is its slot: whoever else holds the shard would check the same one.
  if (!e.of.knows.state.seen_at && changed > last && now - changed < interval.count()) return plan(e, changed, now);
  if (newest <= last) return plan(e, newest + interval.count(), newest + interval.count());
  if (last > 0) miss(missed::nobody_watched, static_cast<std::uint64_t>((newest - last - 1) / interval.count()));
  auto const room = std::min(catch_up, milliseconds(newest - now) + interval);
  plan(e, newest, now + phase_in(e).count() % room.count());
}

void agenda::watch(store::watched_monitor what, std::int64_t now) {
  auto const id = what.id;
  auto& e = all_[id];
  // Its results come too late now.
  stops(e);
  e.of = std::move(what);
  plan_first(e, now);
}

void agenda::forget(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found == all_.end()) return;
  stops(found->second);
  all_.erase(found);
}

void agenda::forget_shard(std::int64_t shard) {
  for (auto at = all_.begin(); at != all_.end();) {
    bool const goes = shard_of(at->first) == shard;
    if (goes) stops(at->second);
    at = goes ? all_.erase(at) : std::next(at);
  }
}

bool agenda::may_start(entry const& e, place const& at, std::int64_t now) {
  if (e.runs) {
    miss(missed::still_running);
    return false;
  }
  if (now - at.due <= interval_of(e).count() / 2) return true;
  miss(missed::overloaded);
  return false;
}

std::size_t agenda::room_of(uuid const& project) const {
  auto const found = running_of_.find(project);
  auto const running = found == running_of_.end() ? 0 : found->second;
  return most_of_project_ - std::min(most_of_project_, running);
}

void agenda::hold_back(entry const& e, place at) {
  held_back_[e.of.project].push_back(at);
  at.turn_at = at.due + interval_of(e).count() / 2 + 1;
  heap_.push(at);
}

void agenda::let_in(std::int64_t now) {
  for (auto& [project, places] : held_back_) {
    for (auto room = room_of(project); room > 0 && !places.empty(); places.pop_front()) {
      auto const found = all_.find(places.front().monitor);
      if (found == all_.end() || found->second.turn != places.front().turn) continue;
      places.front().turn_at = now;
      heap_.push(places.front());
      --room;
    }
  }
  std::erase_if(held_back_, [](auto const& of) { return of.second.empty(); });
}

std::vector<due_check> agenda::take_due(std::int64_t now, std::size_t most) {
  let_in(now);
  std::vector<due_check> out;
  while (!heap_.empty() && heap_.top().turn_at <= now && out.size() < most) {
    auto const at = heap_.top();
    heap_.pop();
    auto const found = all_.find(at.monitor);
    if (found == all_.end() || found->second.turn != at.turn) continue;
    auto& e = found->second;
    bool const may = may_start(e, at, now);
    if (may && room_of(e.of.project) == 0) {
      hold_back(e, at);
      continue;
    }
    auto const next = slot_at(phase_in(e), interval_of(e), std::max(now, at.slot)) + interval_of(e).count();
    plan(e, next, next);
    if (!may) continue;
    starts(e);
    out.push_back({at.monitor, at.slot});
  }
  return out;
}

bool agenda::has_room(uuid const& monitor) const {
  auto const found = all_.find(monitor);
  return found != all_.end() && room_of(found->second.of.project) > 0;
}

void agenda::starts(entry& e) {
  if (e.runs) return;
  e.runs = true;
  ++running_;
  ++running_of_[e.of.project];
}

void agenda::stops(entry& e) {
  if (!e.runs) return;
  e.runs = false;
  --running_;
  auto const of = running_of_.find(e.of.project);
  if (--of->second == 0) running_of_.erase(of);
}

void agenda::begins(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found != all_.end()) starts(found->second);
}

void agenda::ends(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found != all_.end()) stops(found->second);
}

store::watched_monitor* agenda::find(uuid const& monitor) {
  auto const found = all_.find(monitor);
  return found == all_.end() ? nullptr : &found->second.of;
}

milliseconds agenda::overdue(std::int64_t now) const {
  return heap_.empty() ? milliseconds(0) : milliseconds(std::max<std::int64_t>(0, now - heap_.top().turn_at));
}

}  // namespace svc::watch
