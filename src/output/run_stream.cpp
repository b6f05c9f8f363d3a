#include "output/run_stream.hpp"

#include "output/redis_output.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/store/runs/run_store.hpp"

#include <algorithm>

namespace svc::output {
namespace {

constexpr std::chrono::seconds event_patience{2};
constexpr std::string_view heartbeat_text = ": heartbeat\n\n";

/// Clients that lose their instance at the same moment reconnect after 1 to 3 s, not all at once.
std::string retry_hint() {
  return "retry: " + std::to_string(1000 + static_cast<int>(random_fraction() * 2000)) + "\n\n";
}

}  // namespace

void stream_audience::remove(uuid const& subject, run_stream& stream) {
  auto const found = by_subject_.find(subject);
  if (found == by_subject_.end()) return;
  found->second.erase(&stream);
  if (found->second.empty()) by_subject_.erase(found);
}

void stream_audience::revalidate(subject_epoch const& bumped) {
  auto const found = by_subject_.find(bumped.subject);
  if (found == by_subject_.end()) return;
  for (auto* stream : found->second) stream->revalidate(bumped.epoch);
}

run_stream::run_stream(stream_parts const& parts, std::shared_ptr<stream_audience> among, stream_slots::slot slot,
                       uuid project, run const& run, std::optional<event_id> id, viewer_right right)
    : parts_(parts),
      among_(std::move(among)),
      slot_(std::move(slot)),
      run_(run.id),
      project_(project),
      viewer_right_(std::move(right)),
      right_(viewer_right_.epoch, parts.heartbeat),
      events_(run, id, steady::now()) {
  lead_ = retry_hint();
  // Every run begins in the queue.
  if (!id) append_sse(lead_, {{0, 0}, event_kind::status, "queued"});
}

void run_stream::start(std::function<void()> wake) {
  wake_ = std::move(wake);
  right_.begin(steady::now());
  parts_.open.add(1);
  among_->add(viewer_right_.subject, *this);
  parts_.subscriptions.follow(run_, *this);
}

void run_stream::stop() {
  if (!wake_) return;
  wake_ = nullptr;
  ending_ = true;
  parts_.open.add(-1);
  slot_.reset();
  among_->remove(viewer_right_.subject, *this);
  parts_.subscriptions.leave(run_, *this);
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
  if (!ending_ && right_.ask(now)) spawn_task(parts_.io, check_permission(shared_from_this()));
  if (right_.take_ping()) return {heartbeat_text};
  if (right_.needs_revalidation() && !ending_) return {};
  if (auto some = events_.take(); !some.bytes.empty()) return some;
  if (events_.complete() || ending_) {
    auto const text = std::make_shared<std::string const>(std::exchange(last_, {}));
    return {*text, text, true};
  }
  if (auto const after = events_.read(now)) spawn_task(parts_.io, read(shared_from_this(), *after));
  return {};
}

steady::time_point run_stream::due() const {
  return right_.needs_revalidation() ? right_.due() : std::min(right_.due(), events_.due());
}

void run_stream::drain() {
  end_with(retry_hint() + ": this instance stops; connect again\n\n");
}

/// Drops what is queued; the client can resume after the last event it received.
void run_stream::end_with(std::string text) {
  if (ending_) return;
  events_.give_up();
  last_ = std::move(text);
  ending_ = true;
  wake();
}

task<> run_stream::check_permission(std::shared_ptr<run_stream> self) {
  access::permission_state found;
  try {
    found = co_await self->viewer_right_.check(self->right_.at_least());
  } catch (std::exception const& e) {
    // The right is then unknown, so no events are sent.
    log::error("a viewer's right could not be judged", {{"why", e.what()}});
  }
  if (self->ending_) co_return;
  switch (self->right_.answered(found, steady::now())) {
    case right_watch::verdict::goes_on:
      co_return self->wake();
    case right_watch::verdict::withdrawn:
      co_return self->end_with(": the credential is no longer valid\n\n");
    case right_watch::verdict::lost:
      co_return self->end_with(": it cannot be known whether the credential is valid\n\n");
  }
}

void run_stream::revalidate(std::int64_t bumped) {
  if (!ending_ && right_.advance(bumped, steady::now())) wake();
}

void run_stream::on_news(news const& news) {
  if (ending_) return;
  switch (events_.hear(news, right_.needs_revalidation(), steady::now())) {
    case catch_up::heard_event::nothing:
      return;
    case catch_up::heard_event::news:
      return wake();
    case catch_up::heard_event::too_much:
      std::string text;
      append_dropped(text, events_.taken());
      return end_with(std::move(text));
  }
}

task<> run_stream::read(std::shared_ptr<run_stream> self, event_id after) {
  try {
    co_await self->read_stores(after);
  } catch (std::exception const&) {
    // PostgreSQL is unreachable: `due` asks for another read.
    self->events_.failed(steady::now());
  }
  self->events_.finish();
  self->wake();
}

task<> run_stream::read_stores(event_id after) {
  auto const events =
      co_await read_events(parts_.redis, run_, after, catch_up::page, deadline::after(event_patience));
  if (ending_ || !events_.found(events, steady::now())) co_return;
  auto const until = deadline::after(event_patience);
  auto const kept = co_await parts_.stored.stored(project_, run_, until);
  auto const now = co_await parts_.runs.get(project_, run_, until);
  if (!ending_ && !events_.concluded(kept, now, steady::now())) end_with({});
}

}  // namespace svc::output
