#include "svc/watch/agenda.hpp"

#include <algorithm>
#include <utility>

namespace svc::watch {

void agenda::plan(entry& e, std::int64_t slot, std::int64_t due) {
  e.turn = ++turns_;
  heap_.push({due, slot, e.turn, e.of.id});
}

void agenda::plan_first(entry& e, std::int64_t now) {
  auto const interval = interval_of(e);
  auto const newest = slot_at(e.phase, interval, now);
  auto const last = e.of.knows.last_slot;
  auto const changed = e.of.changed_at.micros / 1000;
  // The time of the change is its slot: whoever else holds the shard would check the same one.
  if (!e.of.knows.state.seen_at && changed > last && now - changed < interval.count()) return plan(e, changed, now);
  if (newest <= last) return plan(e, newest + interval.count(), newest + interval.count());
  if (last > 0) miss(missed::nobody_watched, static_cast<std::uint64_t>((newest - last - 1) / interval.count()));
  auto const room = std::min(catch_up, milliseconds(newest - now) + interval);
  plan(e, newest, now + e.phase.count() % room.count());
}

void agenda::watch(store::watched_monitor what, std::int64_t now) {
  auto const id = what.id;
  auto& e = all_[id];
  e.phase = phase_of(id, location_, what.interval);
  // Its results come too late now.
  if (e.runs) --running_;
  e.runs = false;
  e.of = std::move(what);
  plan_first(e, now);
}

void agenda::forget(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found == all_.end()) return;
  if (found->second.runs) --running_;
  all_.erase(found);
}

void agenda::forget_shard(std::int64_t shard) {
  std::erase_if(all_, [&](auto const& each) {
    if (shard_of(each.first) != shard) return false;
    if (each.second.runs) --running_;
    return true;
  });
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

std::vector<due_check> agenda::take_due(std::int64_t now, std::size_t most) {
  std::vector<due_check> out;
  while (!heap_.empty() && heap_.top().due <= now && out.size() < most) {
    auto const at = heap_.top();
    heap_.pop();
    auto const found = all_.find(at.monitor);
    if (found == all_.end() || found->second.turn != at.turn) continue;
    auto& e = found->second;
    bool const starts = may_start(e, at, now);
    auto const next = slot_at(e.phase, interval_of(e), std::max(now, at.slot)) + interval_of(e).count();
    plan(e, next, next);
    if (!starts) continue;
    e.runs = true;
    ++running_;
    out.push_back({at.monitor, at.slot});
  }
  return out;
}

void agenda::begins(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found == all_.end() || found->second.runs) return;
  found->second.runs = true;
  ++running_;
}

void agenda::ends(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found == all_.end() || !found->second.runs) return;
  found->second.runs = false;
  --running_;
}

store::watched_monitor* agenda::find(uuid const& monitor) {
  auto const found = all_.find(monitor);
  return found == all_.end() ? nullptr : &found->second.of;
}

milliseconds agenda::overdue(std::int64_t now) const {
  return heap_.empty() ? milliseconds(0) : milliseconds(std::max<std::int64_t>(0, now - heap_.top().due));
}

}  // namespace svc::watch
