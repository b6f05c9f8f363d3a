#include "output/run_stream.hpp"

#include "output/event_queue.hpp"
#include "output/redis_output.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/output/archive.hpp"
#include "svc/store/run_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace svc::output {
namespace {

/// A viewer whose socket takes nothing may owe so much of what is shared, not of its own.
constexpr std::size_t most_waiting = 1024UL * 1024;
constexpr int stream_page = 32;
constexpr std::size_t most_heard = 16;
constexpr std::chrono::seconds event_patience{2};
constexpr milliseconds pause{1000};
/// So long after the end Redis, or PostgreSQL, has time to come back with the rest.
constexpr std::chrono::seconds grace{30};
/// So long may nobody know whether a viewer's right still holds.
constexpr std::chrono::seconds most_doubt{30};
constexpr std::string_view heartbeat_text = ": heartbeat\n\n";

/// Clients that lose their instance at one moment come back spread over two seconds.
std::string retry_hint() {
  return "retry: " + std::to_string(1000 + static_cast<int>(random_fraction() * 2000)) + "\n\n";
}

}  // namespace

void stream_audience::remove(uuid const& subject, run_stream& one) {
  auto const found = by_subject_.find(subject);
  if (found == by_subject_.end()) return;
  found->second.erase(&one);
  if (found->second.empty()) by_subject_.erase(found);
}

void stream_audience::doubt(subject_epoch const& raised) {
  auto const found = by_subject_.find(raised.subject);
  if (found == by_subject_.end()) return;
  for (auto* one : found->second) one->doubt(raised.epoch);
}

run_stream::run_stream(stream_parts const& parts, std::shared_ptr<stream_audience> among, stream_places::place place,
                       uuid project, run const& of, std::optional<event_id> from, viewer_right by)
    : parts_(parts),
      among_(std::move(among)),
      place_(std::move(place)),
      run_(of.id),
      project_(project),
      attempt_(of.attempt),
      running_(of.status == "running"),
      by_(std::move(by)),
      queue_(from.value_or(event_id{})) {
  lead_ = retry_hint();
  // Each run has begun in the queue.
  if (!from) append_sse(lead_, {{0, 0}, event_kind::status, "queued"});
  if (of.completed_at) ended_since_ = steady::now();
}

void run_stream::start(std::function<void()> wake) {
  wake_ = std::move(wake);
  heartbeat_ = ask_at_ = steady::now() + parts_.heartbeat;
  parts_.open.add(1);
  among_->add(by_.subject, *this);
  parts_.from.follow(run_, *this);
}

void run_stream::stop() {
  if (!wake_) return;
  wake_ = nullptr;
  ending_ = true;
  parts_.open.add(-1);
  place_.reset();
  among_->remove(by_.subject, *this);
  parts_.from.leave(run_, *this);
}

void run_stream::wake() {
  if (wake_) wake_();
}

http::body_stream::piece run_stream::next() {
  if (!lead_.empty()) {
    auto const text = std::make_shared<std::string const>(std::exchange(lead_, {}));
    return {*text, text};
  }
  auto const now = steady::now();
  if (now >= ask_at_ && !checking_ && !ending_) {
    checking_ = true;
    asio::co_spawn(parts_.io, check_permission(shared_from_this()), asio::detached);
  }
  if (std::exchange(beat_, false)) return {heartbeat_text};
  if (doubted_since_ && !ending_) return {};
  if (!queue_.empty()) return queue_.take();
  if (!ending_ && !replay_rest_.empty()) {
    replay();
    if (!queue_.empty()) return queue_.take();
  }
  if (queue_.complete() || ending_) {
    auto const text = std::make_shared<std::string const>(std::exchange(last_, {}));
    return {*text, text, true};
  }
  if (behind_ && !reading_ && now >= again_) {
    reading_ = true;
    asio::co_spawn(parts_.io, catch_up(shared_from_this()), asio::detached);
  }
  return {};
}

steady::time_point run_stream::due() const {
  // While the right is looked at, its answer wakes; the next time to ask may have passed meanwhile.
  auto const ask = checking_ ? steady::time_point::max() : ask_at_;
  return behind_ && !reading_ && !doubted_since_ ? std::min(ask, again_) : ask;
}

void run_stream::drain() {
  end_with(retry_hint() + ": this instance stops; connect again\n\n");
}

/// What is queued is given up; the client resumes after the last event it got.
void run_stream::end_with(std::string text) {
  if (ending_) return;
  queue_.clear();
  last_ = std::move(text);
  ending_ = true;
  wake();
}

task<> run_stream::check_permission(std::shared_ptr<run_stream> self) {
  bool const told = self->raised_ > self->by_.epoch;
  access::permission_state found;
  try {
    found = co_await self->by_.check(told ? self->raised_ : 0);
  } catch (std::exception const& e) {
    // Nothing is known then, and nothing goes out.
    log::error("a viewer's right could not be judged", {{"why", e.what()}});
  }
  self->checking_ = false;
  if (!self->ending_) self->take(found);
}

void run_stream::take(access::permission_state const& found) {
  auto const now = steady::now();
  if (found.what == access::permission_state::kind::withdrawn)
    return end_with(": the credential is not good any more\n\n");
  if (now >= heartbeat_) {
    beat_ = true;
    heartbeat_ = now + parts_.heartbeat;
  }
  if (found.what == access::permission_state::kind::granted) {
    by_.epoch = found.epoch;
    bool const raised_meanwhile = raised_ > by_.epoch;
    if (!raised_meanwhile) doubted_since_.reset();
    ask_at_ = raised_meanwhile ? now : heartbeat_;
  } else {
    // What the client has not got yet waits for it; a store is back in time, or the stream ends.
    if (!doubted_since_) doubted_since_ = now;
    if (now - *doubted_since_ > most_doubt) return end_with(": nobody knows whether the credential is good\n\n");
    ask_at_ = now + pause;
  }
  wake();
}

void run_stream::doubt(std::int64_t raised) {
  if (ending_ || raised <= std::max(by_.epoch, raised_)) return;
  raised_ = raised;
  ask_at_ = steady::now();
  if (!doubted_since_) doubted_since_ = ask_at_;
  wake();
}

void run_stream::on_news(news const& what) {
  if (ending_ || queue_.complete()) return;
  if (what.ended && !ended_since_) ended_since_ = steady::now();
  auto const slow = !queue_.empty();
  if (!what.batch || doubted_since_) {
    behind_ = more_ = true;
  } else if (behind_) {
    // What came before a read begins, it finds.
    if (reading_ && heard_.size() < most_heard) {
      heard_.push_back(what.batch);
    } else {
      more_ = true;
    }
  } else if (queue_.add(what.batch) == event_queue::fit::behind) {
    behind_ = true;
  }
  if (slow && queue_.size() > most_waiting) {
    auto const id = queue_.taken().to_string();
    return end_with("id: " + id + "\nevent: dropped\ndata: {\"reason\":\"slow_reader\"}\n\n");
  }
  wake();
}

task<> run_stream::catch_up(std::shared_ptr<run_stream> self) {
  self->more_ = false;
  self->heard_.clear();
  try {
    if (co_await self->read_redis() && self->ended_since_ && !self->ending_ && !self->queue_.complete())
      co_await self->conclude();
  } catch (std::exception const&) {
    // PostgreSQL is away: the next round asks again.
    self->try_again();
  }
  self->reading_ = false;
  self->wake();
}

void run_stream::try_again() {
  behind_ = true;
  again_ = steady::now() + pause;
}

task<bool> run_stream::read_redis() {
  auto const after = queue_.tail();
  auto const events = co_await read_events(parts_.redis, run_, after, stream_page, deadline::after(event_patience));
  if (ending_) co_return true;
  if (!events) {
    try_again();
    co_return true;
  }
  if (!events->empty()) queue_.add(make_batch(after, *events));
  if (events->size() == stream_page) co_return false;
  add_started();
  for (auto const& batch : std::exchange(heard_, {})) more_ = more_ || queue_.add(batch) == event_queue::fit::behind;
  behind_ = more_;
  co_return true;
}

/// Redis may have lost the beginning, or may not have heard of it yet; the database knew.
void run_stream::add_started() {
  event_id const started{attempt_, 0};
  if (running_ && queue_.tail() < started) queue_.add({started, event_kind::status, "running"});
}

/// The run is over, and Redis does not hold its end.
task<> run_stream::conclude() {
  auto const until = deadline::after(event_patience);
  auto const found = co_await parts_.stored.stored(run_, until);
  auto const now = co_await parts_.runs.get(project_, run_, until);
  if (ending_) co_return;
  if (!now) co_return end_with({});  // deleted
  if (!found) co_return try_again();
  if (found->text) {
    final_status_ = now->status;
    replayed_ = found->text;
    replay_rest_ = *replayed_;
    behind_ = false;
    co_return;
  }
  if (!found->moving) co_return finish_with(now->status, found->dropped);
  if (steady::now() - *ended_since_ > grace) co_return finish_with(now->status, true);
  try_again();
}

/// The next page of what PostgreSQL holds.
void run_stream::replay() {
  std::vector<run_event> events;
  auto const after = queue_.tail();
  while (events.size() < stream_page) {
    auto one = next_stored(replay_rest_);
    if (!one) break;
    if (one->id > after) events.push_back(std::move(*one));
  }
  if (!events.empty()) queue_.add(make_batch(after, events));
  if (events.size() == stream_page) return;
  replay_rest_ = {};
  replayed_.reset();
  if (!queue_.complete()) finish_with(final_status_, false);
}

void run_stream::finish_with(std::string status, bool gap) {
  event_id end{std::max(attempt_, queue_.tail().attempt), 0};
  end.seq = end.attempt == queue_.tail().attempt ? queue_.tail().seq + 1 : 1;
  if (gap) {
    ++end.seq;
    queue_.add_gap(end);
  }
  queue_.add({end, event_kind::complete, std::move(status)});
}

}  // namespace svc::output
