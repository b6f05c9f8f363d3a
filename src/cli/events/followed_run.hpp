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

/// The place of an event in a run's stream, `<attempt>-<number>`; they only grow (docs/api.md). A value.
struct stream_place {
  std::uint64_t attempt = 0, number = 0;

  static std::optional<stream_place> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(stream_place const&, stream_place const&) = default;
};

/// What one event of a run's stream says.
struct run_news {
  enum class kind : std::uint8_t {
    line,        ///< `text` is a line of output
    status,      ///< `text` is the run's status now
    gap,         ///< the service lost what was printed between `after` and `before`
    dropped,     ///< the service ended the stream because it was read too slowly; nothing is lost
    complete,    ///< `text` is the run's last status
    unreadable,  ///< not of this service
  };
  kind content = kind::unreadable;
  std::string id{};
  std::string text{};
  bool error_stream = false;  ///< a line of stderr
  std::string after{}, before{};
};

/// How long to wait before a service is asked again that was lost. Begins with what the service asked for by
/// `retry:` and doubles until something comes. A value.
class reconnection {
 public:
  static constexpr std::chrono::milliseconds usual{2000}, longest{30'000};
  /// Gives up after waiting that long in all with nothing coming.
  static constexpr std::chrono::milliseconds patience{300'000};

  void ask_for(std::chrono::milliseconds retry) { first_ = std::min(retry, longest); }
  void progress() { waited_ = {}, tries_ = 0; }
  /// Nothing: give up. `told`: by `Retry-After`; never less than that, up to a fifth more. `fraction`: random, in
  /// [0, 1).
  std::optional<std::chrono::milliseconds> pause(std::optional<std::chrono::milliseconds> told, double fraction);

 private:
  std::chrono::milliseconds first_ = usual, waited_{};
  int tries_ = 0;
};

/// Follows a run over as many connections as it takes: each line once and in order. Decides; the caller connects,
/// waits and prints. A value.
///
/// The service sends each event with an id and goes on behind the one that a client names, so a line is neither lost
/// nor repeated as long as the last whole event counts; ids that are not above it have been seen.
class followed_run {
 public:
  /// Streams refused in a row before the run is asked for instead.
  static constexpr int most_refusals = 3;

  /// `after`: goes on behind that event; nothing: from the first.
  explicit followed_run(std::optional<stream_place> after = {}) : last_(after) {}

  /// What an event says; nothing if it was seen before, or is of a kind that later services may send.
  std::optional<run_news> take(event const& event);
  void ask_for(std::chrono::milliseconds retry) { lost_.ask_for(retry); }

  /// How a connection ended.
  enum class end : std::uint8_t {
    by_service,  ///< in order; also when its instance stops or the client was too slow
    empty,       ///< 204: the client has all of it
    broken,      ///< the network did it
    refused,     ///< 409 `stream_limit_reached`, 429, 5xx: not now
  };
  struct step {
    enum class action : std::uint8_t {
      connect,      ///< after `wait`, behind `last()`
      ask_run,      ///< GET the run, waiting for its end; then `learnt`
      read_output,  ///< GET the stored output and `take` what is in it; then finish
      finish,
      give_up,  ///< nothing has come for `reconnection::patience`
    };
    action content;
    std::chrono::milliseconds wait{};
    friend bool operator==(step const&, step const&) = default;
  };
  /// `told`: by `Retry-After`.
  step after(end end, std::optional<std::chrono::milliseconds> told, double fraction);
  /// The answer to `ask_run`.
  step learnt(bool run_is_over, double fraction);

  /// For `Last-Event-ID`; nothing before the first event.
  std::optional<stream_place> const& last() const { return last_; }
  bool complete() const { return complete_; }

 private:
  step connect_again(std::optional<std::chrono::milliseconds> told, double fraction);

  std::optional<stream_place> last_;
  reconnection lost_{};
  int refusals_ = 0;
  bool complete_ = false, has_all_ = false;
};

}  // namespace svc::cli
