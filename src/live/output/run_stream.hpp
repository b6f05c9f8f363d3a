#pragma once

#include "live/output/catch_up.hpp"
#include "svc/live/output/subscriptions.hpp"
#include "svc/live/output/viewer_stream.hpp"

namespace svc::output {

/// The stream of one run to one viewer: executes the decisions of `catch_up`. It subscribes before it reads, so that
/// no event is missed in between. Worker-local; held by its session and by its own reads and checks.
class run_stream final : public viewer_stream, public follower {
 public:
  run_stream(stream_parts const& parts, viewer_parts viewing, stream_slots::slot slot, uuid project, run const& run,
             std::optional<event_id> id, viewer_right right);

  void on_news(news const& news) override;

 private:
  void follow() override { parts_.subscriptions.follow(run_, *this); }
  void leave() override { parts_.subscriptions.leave(run_, *this); }
  piece take_events() override { return events_.take(); }
  bool complete() const override { return events_.complete(); }
  void look(steady::time_point now) override;
  steady::time_point look_due() const override { return events_.due(); }
  void give_up() override { events_.give_up(); }

  task<> read(std::shared_ptr<viewer_stream> self, event_id after);
  /// Reads Redis, and PostgreSQL if Redis does not have everything.
  task<> read_stores(event_id after);

  stream_parts const& parts_;
  uuid run_, project_;
  catch_up events_;
};

}  // namespace svc::output
