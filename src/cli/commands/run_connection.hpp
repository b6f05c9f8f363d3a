#pragma once

#include "cli/console/failure.hpp"
#include "cli/events/followed_run.hpp"
#include "cli/events/service_contact.hpp"
#include "cli/http/client.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace svc::cli {

/// Asks the service about one run for as long as it takes: continues over broken connections, stopping instances and
/// temporary refusals, until no answer has arrived for five minutes. Executes the decisions of `followed_run`. Throws
/// `failure` for problems that another try cannot change: no permission, no such run, interruption, the deadline.
/// Owned by a command.
class run_connection {
 public:
  /// A run and the text that it was read from, the service's own.
  struct answer {
    std::string text{};
    boost::json::object run{};
    bool over() const;
  };
  using listener = std::function<void(run_news const&)>;

  /// `idle` is called at least ten times a second while there is nothing to do.
  run_connection(client& client, std::string run, std::function<void()> idle);

  /// The run as it is when it has ended, or after `wait` (0 to 50 s).
  answer ask(std::chrono::seconds wait);
  /// Reports each event from the position of `run` to the run's last.
  void follow(followed_run& run, listener const& on_news);
  /// The same from the stored output, in one try. False: it broke before the end.
  bool read_output(followed_run& run, listener const& on_news);
  service_contact& contact() { return contact_; }

 private:
  followed_run::step stream_once(followed_run& run, listener const& on_news);
  void read_rest(followed_run& run, listener const& on_news);
  void answered_now() { contact_.answer(std::chrono::steady_clock::now()); }
  /// Counts a refusal with a status below 500 as an answer, and any other failure as a loss of the service.
  void note_failure(failure const& f);
  void note_break();
  void pause(std::chrono::milliseconds time);
  void pause_or_give_up(reconnection& lost, std::optional<std::chrono::milliseconds> notified);

  client& client_;
  std::string run_;
  std::function<void()> idle_;
  service_contact contact_{};
};

}  // namespace svc::cli
