#include "monitoring/scheduler/check_scheduler.hpp"

#include "svc/core/result.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace svc::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t shards_at_once = 4;  // a statement reads all monitors of these shards
constexpr std::size_t read_at_once = 500;  // changed monitors in one statement
constexpr auto read_early = 30min;         // maintenance that is known for less time is read again
/// The smallest bound of the checks that one project, or one organization, runs at the same time.
constexpr std::size_t least_of_owner = 16;
/// Part of the remaining time at the end that is reserved for the release of the shards.
constexpr auto for_release = 500ms;

std::size_t project_limits(std::size_t in_flight) {
  return std::max(least_of_owner, in_flight / 4);
}

/// Returns true if a check that was started for `known` is also one of `read`: for instance, only maintenance or the
/// name has changed.
bool is_same_check(store::watched_monitor const& known, store::watched_monitor const& read) {
  return known.type == read.type && known.target == read.target && known.config == read.config &&
         known.interval == read.interval && known.organization == read.organization &&
         known.knows.check_version == read.knows.check_version && known.knows.limits == read.knows.limits;
}

check_report failed_inside() {
  check_report out;
  out.result.ended = checks::status::error;
  out.result.known.error = checks::failure(checks::code::internal);
  return out;
}

}  // namespace

check_scheduler::check_scheduler(parts parts)
    : parts_(std::move(parts)),
      shards_(parts_.db, parts_.location),
      checks_(parts_.db, parts_.location),
      requests_(parts_.db, parts_.location),
      schedule_(parts_.location, {.most = parts_.in_flight,
                                  .most_of_project = project_limits(parts_.in_flight),
                                  .least_of_organization = least_of_owner,
                                  .may_start = parts_.may_start,
                                  .book = parts_.book}),
      flusher_({.checks = checks_,
                .monitors = schedule_,
                .deadlines = deadlines_,
                .flush = parts_.observed.flush,
                .unanswered = [this](uuid const& request) { answering_.erase(request); }}) {
  checks_.when_decided(parts_.decided);
  checks_.when_suppressed(parts_.suppressed);
}

account_terms check_scheduler::in_flight_terms(std::size_t in_flight, std::size_t schedulers) {
  return {.name = "checks_in_flight",
          .total = in_flight * std::max<std::size_t>(1, schedulers),
          .project_share = project_limits(in_flight),
          .organisation_share = in_flight / 2};
}

account_terms check_scheduler::connection_terms(std::size_t in_flight, std::size_t schedulers) {
  auto out = in_flight_terms(in_flight, schedulers);
  out.name = "target_connections";
  return out;
}

void check_scheduler::start() {
  parts_.loops.start("check_shards", 3s, this, &check_scheduler::hold_shards);
  parts_.loops.start("check_news", 1s, this, &check_scheduler::take_news);
  parts_.loops.start("check_flush", 200ms, this, &check_scheduler::flush);
  parts_.loops.start("check_looks", 1s, this, &check_scheduler::look);
  parts_.loops.start("check_requests", 500ms, this, &check_scheduler::begin_requested);
  parts_.loops.start("check_starts", 20ms, this, &check_scheduler::begin_due);
}

std::int64_t check_scheduler::now_ms() const {
  return clock_.now().value_or(timestamp{}).micros / 1000;
}

bool check_scheduler::has_settled() const {
  return watches_since_ && steady::now() - *watches_since_ >= parts_.settling;
}

task<> check_scheduler::look() {
  if (!stopping_ && has_settled()) co_await flusher_.look();
}

task<> check_scheduler::hold_shards() {
  // A round that still runs when the process ends must not take shards again after their release.
  auto const alone = co_await holds_.enter(patience());
  if (!alone || stopping_) co_return;
  steady::time_point sent;
  auto const now = co_await shards_.renew(id_, patience(), sent);
  clock_.learn(now.now, sent, steady::now());
  std::vector<std::int64_t> lost;
  for (auto const shard : held_) {
    if (std::ranges::find(now.kept, shard) == now.kept.end()) lost.push_back(shard);
  }
  for (auto const shard : lost) drop(shard);
  auto fresh = now.taken;
  // These shards were taken in a round whose answer was lost, or their monitors could not be read.
  for (auto const shard : now.kept) {
    if (!held_.contains(shard)) fresh.push_back(shard);
  }
  if (!fresh.empty()) co_await take_over(std::move(fresh));
  std::vector<std::int64_t> surplus(held_.rbegin(), held_.rend());
  surplus.resize(
      static_cast<std::size_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(held_.size()) - now.aim)));
  if (!surplus.empty()) co_await give_back(std::move(surplus));
}

task<> check_scheduler::take_over(std::vector<std::int64_t> shards) {
  for (std::size_t i = 0; i < shards.size() && !stopping_; i += shards_at_once) {
    auto const end = std::min(shards.size(), i + shards_at_once);
    std::vector<std::int64_t> const some(shards.begin() + static_cast<std::ptrdiff_t>(i),
                                         shards.begin() + static_cast<std::ptrdiff_t>(end));
    auto all = co_await checks_.read(some, patience());
    for (auto& each : all) schedule_.watch(std::move(each), now_ms());
    held_.insert(some.begin(), some.end());
  }
  if (!watches_since_) watches_since_ = steady::now();
}

task<> check_scheduler::give_back(std::vector<std::int64_t> shards) {
  for (auto const shard : shards) drop(shard);
  // Waits for a running flush, which may have results of these shards.
  co_await flush();
  co_await shards_.release(id_, std::move(shards), patience());
}

void check_scheduler::drop(std::int64_t shard) {
  held_.erase(shard);
  auto const dropped = schedule_.remove_shard(shard);
  if (parts_.on_drop) std::ranges::for_each(dropped, parts_.on_drop);
  std::vector<uuid> of_it;
  for (auto const& [monitor, signal] : running_) {
    if (shard_of(monitor) == shard) of_it.push_back(monitor);
  }
  for (auto const& monitor : of_it) cancel(monitor);
}

task<> check_scheduler::take_news() {
  if (held_.empty() || stopping_) co_return;
  auto const news = co_await checks_.changed({held_.begin(), held_.end()}, patience());
  std::vector<uuid> unknown;
  for (auto const& each : news) {
    auto const* known = schedule_.find(each.id);
    if (!each.live) {
      cancel(each.id);
      schedule_.remove(each.id);
      if (parts_.on_drop) parts_.on_drop(each.id);
    } else if (known == nullptr || known->changed_at < each.changed_at) {
      unknown.push_back(each.id);
    }
  }
  for (std::size_t i = 0; i < unknown.size(); i += read_at_once) {
    auto const end = std::min(unknown.size(), i + read_at_once);
    co_await take_in(
        {unknown.begin() + static_cast<std::ptrdiff_t>(i), unknown.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  co_await take_maintenance();
}

task<> check_scheduler::take_maintenance() {
  if (outdated_.empty() || stopping_) co_return;
  std::vector<uuid> some;
  while (some.size() < read_at_once && !outdated_.empty())
    some.push_back(outdated_.extract(outdated_.begin()).value());
  auto all = co_await checks_.read_maintenance(std::move(some), patience());
  for (auto& [id, known] : all) {
    if (auto* monitor = schedule_.find(id)) monitor->maintenance = std::move(known);
  }
}

task<> check_scheduler::take_in(std::vector<uuid> changed) {
  auto all = co_await checks_.read_these(std::move(changed), patience());
  for (auto& each : all) {
    // Skips a monitor whose shard was given away in the meantime, or that was read again with its shard.
    auto* known = schedule_.find(each.id);
    if (!held_.contains(shard_of(each.id)) || (known != nullptr && known->changed_at >= each.changed_at)) continue;
    if (known != nullptr && running_.contains(each.id) && is_same_check(*known, each)) {
      known->changed_at = each.changed_at;
      known->maintenance = std::move(each.maintenance);
      known->warned.clear();
      continue;
    }
    cancel(each.id);
    schedule_.watch(std::move(each), now_ms());
  }
}

task<> check_scheduler::begin_due() {
  if (stopping_ || !clock_.now() || schedule_.running() >= parts_.in_flight) co_return;
  for (auto const& each : schedule_.take_due(now_ms(), parts_.in_flight - schedule_.running())) begin({each, {}});
  co_return;
}

/// Starts requested checks. A request whose monitor is being checked waits for the end of that check, and for the
/// next look.
task<> check_scheduler::begin_requested() {
  if (held_.empty() || stopping_ || !clock_.now()) co_return;
  auto const open = co_await requests_.open_in({held_.begin(), held_.end()}, patience());
  std::erase_if(answering_,
                [&](uuid const& id) { return std::ranges::find(open, id, &store::check_request::id) == open.end(); });
  for (auto const& each : open) {
    if (stopping_ || schedule_.running() >= parts_.in_flight) break;
    if (!schedule_.has_room(each.monitor) || running_.contains(each.monitor) || answering_.contains(each.id))
      continue;
    answering_.insert(each.id);
    schedule_.begins(each.monitor);
    begin({{.monitor = each.monitor, .slot = now_ms()}, each});
  }
}

void check_scheduler::begin(occasion occasion) {
  auto const& monitor = occasion.due.monitor;
  auto const* watched_monitor = schedule_.find(monitor);
  auto const signal = std::make_shared<asio::cancellation_signal>();
  running_[monitor] = signal;
  ++seen_.started;
  // The result covers one interval, and the next check starts within another one. Many monitors are read at the same
  // time, so they are outdated at the same time, and a second reads only some of them again.
  auto const checks_take = 2 * std::chrono::microseconds(watched_monitor->interval);
  auto const needed_until = timestamp{now_ms() * 1000} + std::max<std::chrono::microseconds>(checks_take, read_early);
  if (watched_monitor->maintenance.until < needed_until) outdated_.insert(monitor);
  auto const may_wait = milliseconds(occasion.due.slot - now_ms()) + milliseconds(watched_monitor->interval) / 2;
  check_order order{.monitor = watched_monitor->id,
                    .project = watched_monitor->project,
                    .organization = watched_monitor->organization,
                    .check_version = watched_monitor->knows.check_version,
                    .type = watched_monitor->type,
                    .target = watched_monitor->target,
                    .config = watched_monitor->config,
                    .interval = watched_monitor->interval,
                    .may_wait = std::max(milliseconds(0), may_wait)};
  asio::co_spawn(parts_.io, run(std::move(order), std::move(occasion), signal),
                 asio::bind_cancellation_slot(signal->slot(), [signal, held = under_way_](std::exception_ptr) {}));
}

task<> check_scheduler::run(check_order order, occasion occasion, signal_ptr mine) {
  auto const began = now_ms();
  parts_.observed.lag.observe(static_cast<double>(std::max<std::int64_t>(0, began - occasion.due.slot)) / 1000);
  check_end found;
  try {
    found = co_await parts_.run_check(order);
  } catch (std::exception const&) {
    found = failed_inside();
  }
  auto const still = running_.find(order.monitor);
  if (still == running_.end() || still->second != mine) {
    // The check was cancelled, and its monitor may be in a newer check.
    if (occasion.request) answering_.erase(occasion.request->id);
    co_return;
  }
  running_.erase(still);
  schedule_.ends(order.monitor);
  if (auto const* reason = std::get_if<skip_reason>(&found)) {
    schedule_.note(*reason);
    if (occasion.request) answering_.erase(occasion.request->id);
  } else {
    auto result =
        pending_result(order, occasion.due, occasion.request, began, std::get<check_report>(std::move(found)));
    if (auto const* known = schedule_.find(order.monitor)) store::mark_maintenance(result, known->maintenance.times);
    flusher_.add(std::move(result));
  }
}

void check_scheduler::cancel(uuid monitor) {
  auto const found = running_.find(monitor);
  if (found == running_.end()) return;
  auto const signal = std::move(found->second);
  running_.erase(found);
  schedule_.ends(monitor);
  signal->emit(asio::cancellation_type::terminal);
}

task<check_scheduler::ending> check_scheduler::stop(deadline until) {
  stopping_ = true;
  deadlines_.end_by(deadline(until.at() - for_release));
  while (!running_.empty()) cancel(running_.begin()->first);
  ending out;
  {
    auto const alone = co_await holds_.enter(patience());
    try {
      co_await flush();
      out.brought_in = flusher_.empty();
    } catch (std::exception const&) {
      // The log reports the error, with the number of results.
    }
    deadlines_.end_by(until);
    // Frees the shards at once, whatever happened to the results.
    try {
      co_await shards_.leave(id_, patience());
      out.released = true;
    } catch (std::exception const&) {
      // The leases of the shards expire.
    }
  }
  steady_timer pause(parts_.io);
  while (under_way_.use_count() > 1 && !until.passed()) {
    pause.expires_after(5ms);
    co_await pause.async_wait(awaiting);
  }
  out.all_ended = under_way_.use_count() == 1;
  co_return out;
}

check_scheduler::statistics check_scheduler::stats() const {
  auto out = seen_;
  auto const stored = flusher_.stats();
  out.counted = stored.counted;
  out.refused = stored.refused;
  out.flushes = stored.flushes;
  out.dropped = stored.dropped;
  out.given_up = stored.given_up;
  out.waiting = stored.waiting;
  out.shards = held_.size();
  out.monitors = schedule_.size();
  out.running = schedule_.running();
  if (clock_.now()) out.overdue = schedule_.overdue(now_ms());
  for (std::size_t i = 0; i < missed_count; ++i) out.missed[i] = schedule_.missed_slots(static_cast<skip_reason>(i));
  return out;
}

}  // namespace svc::scheduler
