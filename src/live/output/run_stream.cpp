#include "live/output/run_stream.hpp"

#include "live/output/redis_output.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/store/runs/run_store.hpp"

namespace svc::output {
namespace {

constexpr std::chrono::seconds event_patience{2};

}  // namespace

run_stream::run_stream(stream_parts const& parts, viewer_parts viewing, stream_slots::slot slot, uuid project,
                       run const& run, std::optional<event_id> id, viewer_right right)
    : viewer_stream(std::move(viewing), std::move(slot), std::move(right)),
      parts_(parts),
      run_(run.id),
      project_(project),
      events_(run, id, steady::now()) {
  if (id) return;
  // Every run begins in the queue.
  std::string queued;
  append_sse(queued, {{0, 0}, event_kind::status, "queued"});
  lead_with(queued);
}

void run_stream::look(steady::time_point now) {
  if (auto const after = events_.read(now)) spawn_task(parts_.io, read(shared_from_this(), *after));
}

void run_stream::on_news(news const& news) {
  if (ending()) return;
  switch (events_.hear(news, needs_revalidation(), steady::now())) {
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

task<> run_stream::read([[maybe_unused]] std::shared_ptr<viewer_stream> self, event_id after) {
  try {
    co_await read_stores(after);
  } catch (std::exception const&) {
    // PostgreSQL is unreachable: `due` asks for another read.
    events_.failed(steady::now());
  }
  events_.finish();
  wake();
}

task<> run_stream::read_stores(event_id after) {
  auto const events =
      co_await read_events(parts_.redis, run_, after, catch_up::page, deadline::after(event_patience));
  if (ending() || !events_.found(events, steady::now())) co_return;
  auto const until = deadline::after(event_patience);
  auto const kept = co_await parts_.stored.stored(project_, run_, until);
  auto const now = co_await parts_.runs.get(project_, run_, until);
  if (!ending() && !events_.concluded(kept, now, steady::now())) end_with({});
}

}  // namespace svc::output
