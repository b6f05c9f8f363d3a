#pragma once

#include "output/catch_up.hpp"
#include "output/right_watch.hpp"
#include "svc/output/run_streams.hpp"
#include "svc/output/subscriptions.hpp"

#include <unordered_map>
#include <unordered_set>

namespace svc::output {

class run_stream;

/// A worker's streams by the subjects of their rights. Holds a stream while it is being sent. Worker-local.
class stream_audience {
 public:
  void add(uuid const& subject, run_stream& stream) { by_subject_[subject].insert(&stream); }
  void remove(uuid const& subject, run_stream& stream);
  void revalidate(subject_epoch const& bumped);

 private:
  std::unordered_map<uuid, std::unordered_set<run_stream*>, uuid_hash> by_subject_{};
};

/// The stream of one run to one viewer: reads, checks and sends what `catch_up` and `right_watch` decide. It
/// subscribes before it reads, so that no event is missed in between. Worker-local; held by its session and by its
/// own reads and checks.
class run_stream final : public http::body_stream, public follower, public std::enable_shared_from_this<run_stream> {
 public:
  run_stream(stream_parts const& parts, std::shared_ptr<stream_audience> among, stream_slots::slot slot, uuid project,
             run const& run, std::optional<event_id> id, viewer_right right);

  void start(std::function<void()> wake) override;
  piece next() override;
  steady::time_point due() const override;
  void drain() override;
  void stop() override;

  void on_news(news const& news) override;
  /// The epoch of the viewer's subject was raised to `raised`.
  void revalidate(std::int64_t bumped);

 private:
  task<> read(std::shared_ptr<run_stream> self, event_id after);
  /// Reads Redis, and PostgreSQL if Redis does not have everything.
  task<> read_stores(event_id after);
  task<> check_permission(std::shared_ptr<run_stream> self);
  void end_with(std::string text);
  void wake();

  stream_parts const& parts_;
  std::shared_ptr<stream_audience> among_;
  std::optional<stream_slots::slot> slot_;  ///< until the session is over
  uuid run_, project_;
  viewer_right viewer_right_;  ///< as it was at admission
  right_watch right_;
  catch_up events_;
  std::function<void()> wake_{};
  std::string lead_{};   ///< sent before everything else
  std::string last_{};   ///< sent after everything else
  bool ending_ = false;  ///< no more events are added
};

}  // namespace svc::output
