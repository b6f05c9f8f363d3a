#pragma once

#include "cli/events/event_parser.hpp"

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The position of an event in a run's stream, `<attempt>-<number>`; positions only grow (docs/api.md). A value.
struct event_position {
  std::uint64_t attempt = 0, number = 0;

  static std::optional<event_position> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(event_position const&, event_position const&) = default;
};

/// The content of one event of a run's stream.
struct run_news {
  enum class kind : std::uint8_t {
    line,        ///< `text` is a line of output
    status,      ///< `text` is the run's current status
    gap,         ///< the service lost the output between `after` and `before`
    dropped,     ///< the service ended the stream because the client read too slowly; no output is lost
    complete,    ///< `text` is the run's last status
    unreadable,  ///< not from this service
  };
  kind content = kind::unreadable;
  std::string id{};
  std::string text{};
  bool error_stream = false;  ///< a line of stderr
  std::string after{}, before{};
};

/// Computes the wait before the next question to a lost service. The first wait is the service's `retry:`. The wait
/// doubles until data arrives. A value.
class reconnection {
 public:
  static constexpr std::chrono::milliseconds usual{2000}, longest{30'000};
  /// The total wait without any data after which the client gives up.
  static constexpr std::chrono::milliseconds patience{300'000};

  void ask_for(std::chrono::milliseconds retry) { first_ = std::min(retry, longest); }
  void progress() { waited_ = {}, tries_ = 0; }
  /// Returns the next wait, or `std::nullopt` to give up. `notified` is the wait of `Retry-After`; the result is
  /// never less than that, and at most a fifth more. `fraction` is random, in [0, 1).
  std::optional<std::chrono::milliseconds> pause(std::optional<std::chrono::milliseconds> notified, double fraction);

 private:
  std::chrono::milliseconds first_ = usual, waited_{};
  int tries_ = 0;
};

/// Follows a run over any number of connections, with each line once and in order. The object decides; the caller
/// connects, waits and prints. A value.
///
/// The service sends each event with an id and continues after the event that a client names. So a line is neither
/// lost nor repeated as long as the last whole event counts. The client has already seen events with ids that are not
/// above that one.
class followed_run {
 public:
  /// The number of consecutive refused streams after which the client asks for the run instead.
  static constexpr int most_refusals = 3;

  /// The run continues after the event `after`, or starts at the first event if it is empty.
  explicit followed_run(std::optional<event_position> after = {}) : last_(after) {}

  /// Returns the content of an event, or `std::nullopt` if the event is not new or has a kind that only later
  /// services send.
  std::optional<run_news> take(event const& event);
  void ask_for(std::chrono::milliseconds retry) { lost_.ask_for(retry); }

  /// The end of a connection.
  enum class end : std::uint8_t {
    by_service,  ///< the service ended it in order; also when its instance stops or the client was too slow
    empty,       ///< 204: the client has all events
    broken,      ///< the network broke it
    refused,     ///< the service refused it for now: 409 `stream_limit_reached`, 429, 5xx
  };
  struct step {
    enum class action : std::uint8_t {
      connect,      ///< connect after `wait`, with the position `last()`
      ask_run,      ///< GET the run, waiting for its end; then call `learnt`
      read_output,  ///< GET the stored output and `take` its events; then finish
      finish,
      give_up,  ///< no data has arrived for `reconnection::patience`
    };
    action content;
    std::chrono::milliseconds wait{};
    friend bool operator==(step const&, step const&) = default;
  };
  /// `notified` is the wait of `Retry-After`.
  step after(end end, std::optional<std::chrono::milliseconds> notified, double fraction);
  /// Takes the answer to `ask_run`.
  step learnt(bool run_is_over, double fraction);

  /// The position for `Last-Event-ID`; empty before the first event.
  std::optional<event_position> const& last() const { return last_; }
  bool complete() const { return complete_; }

 private:
  step connect_again(std::optional<std::chrono::milliseconds> notified, double fraction);

  std::optional<event_position> last_;
  reconnection lost_{};
  int refusals_ = 0;
  bool complete_ = false, has_all_ = false;
};

}  // namespace svc::cli
