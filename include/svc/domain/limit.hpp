#pragma once

#include "svc/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// The limit classes of the contract. `none` is for liveness, readiness and OPTIONS. A request of class `probe`
/// counts in class `cli` or `session` too, and one of class `claim` in class `runner`. A request of a trigger key
/// also counts in class `project` of its project. Either both windows admit the request, or neither counts it.
enum class rate_class : std::uint8_t {
  cli,
  trigger,
  refused,
  anonymous,
  feed,
  download,  ///< a client address, for the files of the command-line client
  health,
  heartbeat,
  probe,
  project,          ///< a project, over all of its trigger keys
  runner,           ///< a runner token
  claim,            ///< a runner token, for claims only
  session,          ///< a user, over all of its sessions
  sign_in,          ///< a client address, for the public operations of sign-in
  sign_in_account,  ///< attempts at one account: by all unknown browsers, or by one known browser
  recovery,         ///< an e-mail address
  invitations,      ///< an organisation
  page,             ///< a client address, for public status pages; counted in the worker only
  none
};
inline constexpr std::size_t rate_class_count = 19;

std::string_view to_string(rate_class c);
std::optional<rate_class> parse_rate_class(std::string_view text);

/// A limit: at most `limit` admissions in any half-open interval of `seconds`.
struct window_limit {
  std::uint32_t limit = 0;
  std::uint32_t seconds = 60;

  friend bool operator==(window_limit const&, window_limit const&) = default;
};

/// A class and its window for one caller.
struct class_window {
  rate_class which = rate_class::none;
  window_limit window{};
};

/// The configured limits of each class; the trigger class's limit is the default for keys without their own.
struct limit_table {
  window_limit cli{1000, 60};
  window_limit trigger_default{100, 60};
  window_limit refused{60, 60};
  window_limit anonymous{10, 60};
  window_limit feed{60, 60};
  /// The limit is high because many machines of a build farm share one address, and each installs the client by two
  /// requests.
  window_limit download{6'000, 60};
  window_limit health{600, 60};
  window_limit heartbeat{120, 60};
  window_limit probe{20, 60};
  window_limit project{12'000, 60};
  window_limit runner{60'000, 60};
  window_limit claim{6'000, 60};
  window_limit session{1000, 60};
  window_limit sign_in{300, 60};
  window_limit sign_in_account{10, 900};
  window_limit recovery{3, 3600};
  window_limit invitations{100, 86'400};
  window_limit page{600, 60};
  /// The requests per minute that a trigger key's own limit may allow, whatever its project has set.
  std::uint32_t trigger_most = 6'000;

  window_limit of(rate_class c) const;
  /// Returns the window of a trigger key: its own, as far as `trigger_most` allows, or the default.
  window_limit of_key(std::optional<std::uint32_t> limit, std::optional<std::uint32_t> seconds) const;
};

/// Returns the largest limit of a window of `seconds` that allows at most `a_minute` requests per minute on average;
/// at least 1.
std::uint32_t most_in_window(std::uint32_t a_minute, std::uint32_t seconds);

/// Returns validation_failed if a trigger key with this limit would be allowed more than `a_minute` requests per
/// minute.
result<> check_key_limit(window_limit const& wanted, std::uint32_t a_minute);

/// One decision's facts about its window; the source of all limit headers. Times are by Redis's clock, or by the
/// database's clock when this instance decided without Redis.
struct limit_decision {
  rate_class which = rate_class::none;
  window_limit window{};
  bool admitted = false;
  std::uint32_t remaining = 0;
  std::int64_t now_micros = 0;
  std::int64_t reset_micros = 0;  ///< the oldest counted request leaves the window
  std::int64_t retry_micros = 0;  ///< when denied: the next slot becomes free
};

/// Returns the window that the headers show, out of a request's two. A refusing window takes precedence; if both
/// refuse, it is the one that is full for longer. Otherwise it is the window with fewer requests left, and the second
/// of two equal ones.
limit_decision const& shown_of(limit_decision const& first, limit_decision const& second);

/// Returns the whole seconds between the two times, rounded up; at least `least`.
std::int64_t seconds_until(std::int64_t to_micros, std::int64_t from_micros, std::int64_t least);

/// Returns the Unix seconds at which the oldest counted request leaves the window, rounded up.
std::int64_t reset_seconds(limit_decision const& d);

/// Returns the value of `RateLimit-Policy`: `"cli";q=1000;w=60`.
std::string policy_value(limit_decision const& d);

/// Returns the value of `RateLimit`: `"cli";r=999;t=42`.
std::string state_value(limit_decision const& d);

}  // namespace svc
