#include "live/output/catch_up.hpp"

#include <algorithm>
#include <utility>

namespace svc::output {

catch_up::catch_up(run const& run, std::optional<event_id> id, steady::time_point now)
    : queue_(id.value_or(event_id{})), attempt_(run.attempt), running_(run.status == "running") {
  if (run.completed_at) ended_since_ = now;
}

catch_up::heard_event catch_up::hear(news const& news, bool blind, steady::time_point now) {
  if (queue_.complete()) return heard_event::nothing;
  if (news.ended && !ended_since_) ended_since_ = now;
  auto const slow = !queue_.empty();
  if (!news.batch || blind) {
    behind_ = more_ = true;
  } else if (behind_) {
    // A later read finds this batch; the one under way may not.
    if (reading_ && heard_.size() < most_heard) {
      heard_.push_back(news.batch);
    } else {
      more_ = true;
    }
  } else if (queue_.add(news.batch) == event_queue::fit::behind) {
    behind_ = true;
  }
  return slow && queue_.size() > most_waiting ? heard_event::too_much : heard_event::news;
}

std::optional<event_id> catch_up::read(steady::time_point now) {
  if (!behind_ || reading_ || now < again_) return std::nullopt;
  reading_ = true;
  more_ = false;
  heard_.clear();
  return queue_.tail();
}

bool catch_up::found(std::optional<std::vector<run_event>> const& events, steady::time_point now) {
  if (!events) {
    try_again(now);
  } else {
    if (!events->empty()) queue_.add(make_batch(queue_.tail(), *events));
    if (events->size() == page) return false;
    // Redis may have lost the attempt's start or may not have it yet, but the database already says that it runs.
    event_id const started{attempt_, 0};
    if (running_ && queue_.tail() < started) queue_.add({started, event_kind::status, "running"});
    for (auto const& batch : std::exchange(heard_, {}))
      more_ = more_ || queue_.add(batch) == event_queue::fit::behind;
    behind_ = more_;
  }
  // True when the run is over but Redis does not hold its end.
  return ended_since_ && !queue_.complete();
}

bool catch_up::concluded(result<archive::found_part> const& kept, result<run> const& run, steady::time_point now) {
  if (!run) return false;
  if (!kept) {
    // Memory for it is short, so this viewer asks less and less often.
    try_again(now);
    again_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
  } else if (kept->text) {
    final_status_ = run->status;
    replayed_ = kept->text;
    replay_rest_ = *replayed_;
    behind_ = false;
  } else if (!kept->moving) {
    finish_with(run->status, kept->dropped);
  } else if (now - *ended_since_ > grace) {
    finish_with(run->status, true);
  } else {
    try_again(now);
  }
  return true;
}

void catch_up::try_again(steady::time_point now) {
  behind_ = true;
  again_ = now + pause;
}

http::body_stream::piece catch_up::take() {
  if (queue_.empty() && !replay_rest_.empty()) replay();
  return queue_.take();
}

void catch_up::give_up() {
  queue_.clear();
  replay_rest_ = {};
}

/// Queues the next page of the stored output.
void catch_up::replay() {
  std::vector<run_event> events;
  auto const after = queue_.tail();
  while (events.size() < page) {
    auto event = next_stored(replay_rest_);
    if (!event) break;
    if (event->id > after) events.push_back(std::move(*event));
  }
  if (!events.empty()) queue_.add(make_batch(after, events));
  if (events.size() == page) return;
  replay_rest_ = {};
  replayed_.reset();
  if (!queue_.complete()) finish_with(final_status_, false);
}

void catch_up::finish_with(std::string status, bool gap) {
  event_id end{std::max(attempt_, queue_.tail().attempt), 0};
  end.seq = end.attempt == queue_.tail().attempt ? queue_.tail().seq + 1 : 1;
  if (gap) {
    ++end.seq;
    queue_.add_gap(end);
  }
  queue_.add({end, event_kind::complete, std::move(status)});
}

}  // namespace svc::output
