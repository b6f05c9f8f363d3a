#pragma once

#include <boost/json/object.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// The service's side of the runner API on a Unix socket, scripted by a test: it hands out what the test queues and
/// remembers what it receives. Thread-safe; one thread for each connection.
class stand_in {
 public:
  explicit stand_in(std::string socket);
  ~stand_in();
  stand_in(stand_in const&) = delete;
  stand_in& operator=(stand_in const&) = delete;

  /// Adds the members of a claim that the test does not give; its id is `run`.
  void queue(std::string const& run, boost::json::object members);
  /// From now on scripts are given apart to those who ask for that. The version of one is its text; the
  /// test of an empty one was deleted.
  void give_scripts_apart();
  /// From now on `complete` with the whole output gets 400, as of a version that does not know it.
  void refuse_whole_outputs();
  void cancel(std::string const& run);
  /// From now on every call about the run gets 409.
  void lose(std::string const& run);
  /// The next calls with this end of the target get these statuses; 0 executes the call and closes the connection.
  /// A claim that is answered with 200 gets no run.
  void answer_next(std::string const& target_end, std::vector<int> statuses);

  /// The body of `complete`; throws after 60 s.
  boost::json::object completion(std::string const& run);
  bool completed(std::string const& run);
  void wait_released(std::string const& run);
  void wait_line(std::string const& run, std::string const& text);
  /// `stdout` and `stderr` lines in order.
  std::vector<std::string> lines(std::string const& run);
  std::string all(std::string const& run);
  boost::json::object registration();
  std::string authorization();
  /// Until it was asked so often.
  void wait_count(std::string const& target_end, int times);
  int count(std::string const& target_end);

 private:
  struct run_state {
    std::vector<std::string> lines{};
    std::optional<boost::json::object> completion{};
    bool cancelled = false, lost = false, released = false;
  };
  struct request {
    std::string target{}, body{};
  };
  using lock = std::unique_lock<std::mutex>;

  void accept_all();
  void serve(int connection);
  std::pair<int, std::string> answer(request const& r);
  std::pair<int, std::string> claim(boost::json::object const& body, lock& held);
  void take_scripts(boost::json::object& claim);
  std::pair<int, std::string> about_run(std::string const& run, std::string const& call,
                                        boost::json::object const& body, lock& held);
  template <class Condition>
  void wait(Condition holds);

  std::string socket_;
  int listener_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<boost::json::object> queued_{};
  std::map<std::string, run_state> runs_{};
  std::map<std::string, boost::json::array> scripts_{};  ///< by run, those that were left out of claims
  bool apart_ = false, refuses_whole_ = false;
  std::map<std::string, std::deque<int>> next_{};
  std::map<std::string, int> counts_{};
  std::optional<boost::json::object> registration_{};
  std::string authorization_{};
  std::set<int> open_{};
  bool ending_ = false;
  std::vector<std::thread> connections_{};
  std::thread acceptor_;
};

}  // namespace svc::test
