#pragma once

#include "output/event_queue.hpp"
#include "svc/output/run_streams.hpp"
#include "svc/output/subscriptions.hpp"

#include <unordered_map>
#include <unordered_set>

namespace svc::output {

class run_stream;

/// A worker's streams by the subjects of their rights. Worker-local; a stream is in it while it is sent.
class stream_audience {
 public:
  void add(uuid const& subject, run_stream& one) { by_subject_[subject].insert(&one); }
  void remove(uuid const& subject, run_stream& one);
  void doubt(subject_epoch const& raised);

 private:
  std::unordered_map<uuid, std::unordered_set<run_stream*>, uuid_hash> by_subject_{};
};

/// One viewer of one run. It subscribes before it reads, so that nothing falls between; it is behind until it
/// has read to the end of what Redis holds, and from then on takes the batches that all viewers share. Whatever it is
/// told twice, or out of order, the numbers of the events decide. Worker-local; held by its session and by its own
/// reads.
class run_stream final : public http::body_stream, public follower, public std::enable_shared_from_this<run_stream> {
 public:
  run_stream(stream_parts const& parts, std::shared_ptr<stream_audience> among, stream_places::place place,
             uuid project, run const& of, std::optional<event_id> from, viewer_right by);

  void start(std::function<void()> wake) override;
  piece next() override;
  steady::time_point due() const override;
  void drain() override;
  void stop() override;

  void on_news(news const& what) override;
  /// Its subject's epoch was raised to that.
  void doubt(std::int64_t raised);

 private:
  task<> catch_up(std::shared_ptr<run_stream> self);
  /// True when nothing more is to be read now.
  task<bool> read_redis();
  task<> conclude();
  task<> check_permission(std::shared_ptr<run_stream> self);
  void take(access::permission_state const& found);
  void replay();
  void finish_with(std::string status, bool gap);
  void add_started();
  void end_with(std::string text);
  void try_again();
  void wake();

  stream_parts const& parts_;
  std::shared_ptr<stream_audience> among_;
  std::optional<stream_places::place> place_;  ///< until its session is over
  uuid run_, project_;
  std::int64_t attempt_;                               ///< that the database knew at the start
  bool running_;                                       ///< then
  viewer_right by_;                                    ///< its epoch is that of the last check
  std::int64_t raised_ = 0;                            ///< the newest epoch that it was told of
  std::optional<steady::time_point> doubted_since_{};  ///< nothing is read or sent until the right is confirmed
  event_queue queue_;
  std::function<void()> wake_{};
  std::string lead_{};                                    ///< goes out before anything else
  std::string last_{};                                    ///< and this after all, at the end
  steady::time_point heartbeat_{};                        ///< when the next one goes out
  steady::time_point ask_at_{};                           ///< when the right is looked at again
  steady::time_point again_ = steady::time_point::min();  ///< not to read before
  std::optional<steady::time_point> ended_since_{};       ///< that the database says so
  std::shared_ptr<std::string const> replayed_{};         ///< from PostgreSQL
  std::string_view replay_rest_{};
  std::string final_status_{};  ///< of what is replayed
  bool behind_ = true;
  std::vector<batch_ptr> heard_{};  ///< while it was reading; bounded
  bool more_ = false;               ///< and what was not kept
  bool reading_ = false;
  bool checking_ = false;
  bool beat_ = false;    ///< the right was looked at: a heartbeat goes out
  bool ending_ = false;  ///< nothing is added any more
};

}  // namespace svc::output
