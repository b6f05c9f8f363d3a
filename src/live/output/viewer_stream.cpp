#include "svc/live/output/viewer_stream.hpp"

#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>

namespace svc::output {
namespace {

constexpr std::string_view heartbeat_text = ": heartbeat\n\n";

/// Clients that lose their instance at the same moment reconnect after 1 to 3 s, not all at once.
std::string retry_hint() {
  return "retry: " + std::to_string(1000 + static_cast<int>(random_fraction() * 2000)) + "\n\n";
}

}  // namespace

void stream_audience::remove(uuid const& subject, viewer_stream& stream) {
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

viewer_stream::viewer_stream(viewer_parts parts, stream_slots::slot slot, viewer_right right)
    : parts_(std::move(parts)),
      slot_(std::move(slot)),
      viewer_right_(std::move(right)),
      right_(viewer_right_.epoch, parts_.heartbeat),
      lead_(retry_hint()) {}

void viewer_stream::start(std::function<void()> wake) {
  wake_ = std::move(wake);
  right_.begin(steady::now());
  parts_.open.add(1);
  parts_.among->add(viewer_right_.subject, *this);
  follow();
}

void viewer_stream::stop() {
  if (!wake_) return;
  wake_ = nullptr;
  ending_ = true;
  parts_.open.add(-1);
  slot_.reset();
  parts_.among->remove(viewer_right_.subject, *this);
  leave();
}

void viewer_stream::wake() {
  if (wake_) wake_();
}

http::body_stream::piece viewer_stream::next() {
  if (!lead_.empty()) {
    auto const text = std::make_shared<std::string const>(std::exchange(lead_, {}));
    return {*text, text};
  }
  auto const now = steady::now();
  if (!ending_ && right_.ask(now)) spawn_task(parts_.io, check_permission(shared_from_this()));
  if (right_.take_ping()) return {heartbeat_text};
  if (right_.needs_revalidation() && !ending_) return {};
  if (auto some = take_events(); !some.bytes.empty()) return some;
  if (complete() || ending_) {
    auto const text = std::make_shared<std::string const>(std::exchange(last_, {}));
    return {*text, text, true};
  }
  look(now);
  return {};
}

steady::time_point viewer_stream::due() const {
  return right_.needs_revalidation() ? right_.due() : std::min(right_.due(), look_due());
}

void viewer_stream::drain() {
  end_with(retry_hint() + ": this instance stops; connect again\n\n");
}

/// The client can resume after the last event it received, or read again.
void viewer_stream::end_with(std::string text) {
  if (ending_) return;
  give_up();
  last_ = std::move(text);
  ending_ = true;
  wake();
}

task<> viewer_stream::check_permission(std::shared_ptr<viewer_stream> self) {
  access::permission_state found;
  try {
    found = co_await self->viewer_right_.check(self->right_.at_least());
  } catch (std::exception const& e) {
    // The right is then unknown, so no events are sent.
    log::error("a viewer's right could not be determined", {{"why", e.what()}});
  }
  if (self->ending_) co_return;
  if (found.content == access::permission_state::kind::granted) self->on_role(found.viewer);
  switch (self->right_.answered(found, steady::now())) {
    case right_watch::verdict::goes_on:
      co_return self->wake();
    case right_watch::verdict::withdrawn:
      co_return self->end_with(": the credential is no longer valid\n\n");
    case right_watch::verdict::lost:
      co_return self->end_with(": it is unknown whether the credential is valid\n\n");
  }
}

void viewer_stream::revalidate(std::int64_t bumped) {
  if (!ending_ && right_.advance(bumped, steady::now())) wake();
}

}  // namespace svc::output
