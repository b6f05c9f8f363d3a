#include "monitoring/scheduler/check_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::scheduler {

void check_schedule::plan(entry& e, std::int64_t slot, std::int64_t due) {
  e.turn = ++turns_;
  heap_.push({due, due, slot, e.turn, e.monitor.id});
}

void check_schedule::plan_first(entry& e, std::int64_t now) {
  auto const interval = interval_of(e);
  auto const newest = slot_at(phase_in(e), interval, now);
  auto const last = e.monitor.knows.last_slot;
  auto const changed = e.monitor.changed_at.micros / 1000;
  // The time of the change is its slot: whoever else holds the shard would check the same one.
  if (!e.monitor.knows.state.seen_at && changed > last && now - changed < interval.count())
    return plan(e, changed, now);
  if (newest <= last) return plan(e, newest + interval.count(), newest + interval.count());
  if (last > 0) miss(skip_reason::nobody_watched, static_cast<std::uint64_t>((newest - last - 1) / interval.count()));
  auto const room = std::min(catch_up, milliseconds(newest - now) + interval);
  plan(e, newest, now + phase_in(e).count() % room.count());
}

void check_schedule::watch(store::watched_monitor monitor, std::int64_t now) {
  auto const id = monitor.id;
  auto& e = all_[id];
  // Its results would be too late now.
  stops(e);
  e.monitor = std::move(monitor);
  plan_first(e, now);
}

void check_schedule::remove(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found == all_.end()) return;
  stops(found->second);
  all_.erase(found);
}

std::vector<uuid> check_schedule::remove_shard(std::int64_t shard) {
  std::vector<uuid> out;
  for (auto cursor = all_.begin(); cursor != all_.end();) {
    bool const goes = shard_of(cursor->first) == shard;
    if (goes) {
      stops(cursor->second);
      out.push_back(cursor->first);
    }
    cursor = goes ? all_.erase(cursor) : std::next(cursor);
  }
  return out;
}

bool check_schedule::may_start(entry const& e, scheduled_turn const& turn, std::int64_t now) {
  if (e.runs) {
    miss(skip_reason::still_running);
    return false;
  }
  if (now - turn.due <= interval_of(e).count() / 2) return true;
  miss(skip_reason::overloaded);
  return false;
}

std::size_t check_schedule::count_of(running_counts const& counts, uuid const& owner) {
  auto const found = counts.find(owner);
  return found == counts.end() ? 0 : found->second;
}

void check_schedule::drop_one(running_counts& counts, uuid const& owner) {
  auto const found = counts.find(owner);
  if (--found->second == 0) counts.erase(found);
}

std::size_t check_schedule::room_of_project(uuid const& project) const {
  if (limits_.may_start && !limits_.may_start(project)) return 0;
  return limits_.most_of_project - std::min(limits_.most_of_project, count_of(running_by_project_, project));
}

std::size_t check_schedule::room_of_organization(uuid const& organization) const {
  auto const running = count_of(running_by_organization_, organization);
  auto const free = limits_.most - std::min(limits_.most, running_);
  auto const least = limits_.least_of_organization;
  // Each place that the organization takes is also one place less that is free.
  auto const ahead = free - std::min(free, running);
  return std::max(least - std::min(least, running), ahead / 2 + ahead % 2);
}

bool check_schedule::has_room(entry const& e) const {
  return room_of_project(e.monitor.project) > 0 && room_of_organization(e.monitor.organization) > 0;
}

void check_schedule::hold_back(entry const& e, scheduled_turn turn) {
  if (limits_.book != nullptr) {
    bool const whole = room_of_project(e.monitor.project) > 0;
    limits_.book->refuse(owner_of(e),
                         whole ? account_decision::organisation_exhausted : account_decision::project_exhausted);
  }
  held_back_[e.monitor.project].push_back(turn);
  turn.turn_at = turn.due + interval_of(e).count() / 2 + 1;
  heap_.push(turn);
}

void check_schedule::let_in(std::int64_t now) {
  std::unordered_map<uuid, std::size_t, uuid_hash> rooms;  // that are left, by organization
  for (auto& [project, turns] : held_back_) {
    for (auto room = room_of_project(project); room > 0 && !turns.empty(); turns.pop_front()) {
      auto const found = all_.find(turns.front().monitor);
      if (found == all_.end() || found->second.turn != turns.front().turn) continue;
      auto const& organization = found->second.monitor.organization;
      auto& left = rooms.try_emplace(organization, room_of_organization(organization)).first->second;
      if (left == 0) break;
      turns.front().turn_at = now;
      heap_.push(turns.front());
      --room;
      --left;
    }
  }
  std::erase_if(held_back_, [](auto const& queue) { return queue.second.empty(); });
}

std::vector<due_check> check_schedule::take_due(std::int64_t now, std::size_t most) {
  let_in(now);
  std::vector<due_check> out;
  while (!heap_.empty() && heap_.top().turn_at <= now && out.size() < most) {
    auto const earliest = heap_.top();
    heap_.pop();
    auto const found = all_.find(earliest.monitor);
    if (found == all_.end() || found->second.turn != earliest.turn) continue;
    auto& e = found->second;
    bool const may = may_start(e, earliest, now);
    if (may && !has_room(e)) {
      hold_back(e, earliest);
      continue;
    }
    auto const next = slot_at(phase_in(e), interval_of(e), std::max(now, earliest.slot)) + interval_of(e).count();
    plan(e, next, next);
    if (!may) continue;
    starts(e);
    out.push_back({earliest.monitor, earliest.slot, next});
  }
  return out;
}

bool check_schedule::has_room(uuid const& monitor) const {
  auto const found = all_.find(monitor);
  return found != all_.end() && has_room(found->second);
}

void check_schedule::starts(entry& e) {
  if (e.runs) return;
  e.runs = true;
  ++running_;
  ++running_by_project_[e.monitor.project];
  ++running_by_organization_[e.monitor.organization];
  if (limits_.book != nullptr) limits_.book->charge(owner_of(e), 1);
}

void check_schedule::stops(entry& e) {
  if (!e.runs) return;
  e.runs = false;
  --running_;
  drop_one(running_by_project_, e.monitor.project);
  drop_one(running_by_organization_, e.monitor.organization);
  if (limits_.book != nullptr) limits_.book->release(owner_of(e), 1);
}

check_schedule::~check_schedule() {
  for (auto& [id, each] : all_) stops(each);
}

void check_schedule::begins(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found != all_.end()) starts(found->second);
}

void check_schedule::ends(uuid const& monitor) {
  auto const found = all_.find(monitor);
  if (found != all_.end()) stops(found->second);
}

store::watched_monitor* check_schedule::find(uuid const& monitor) {
  auto const found = all_.find(monitor);
  return found == all_.end() ? nullptr : &found->second.monitor;
}

milliseconds check_schedule::overdue(std::int64_t now) const {
  return heap_.empty() ? milliseconds(0) : milliseconds(std::max<std::int64_t>(0, now - heap_.top().turn_at));
}

}  // namespace svc::scheduler
