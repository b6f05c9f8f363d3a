#include "svc/domain/limit.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace svc {
namespace {

constexpr std::array<std::string_view, rate_class_count> class_names{
    "cli",         "trigger", "refused", "anonymous", "feed",    "download", "health",          "heartbeat",
    "probe",       "project", "runner",  "claim",     "session", "sign_in",  "sign_in_account", "recovery",
    "invitations", "page",    "none"};

constexpr std::int64_t micros_of_second = 1'000'000;

std::int64_t round_up(std::int64_t micros) {
  return (micros + micros_of_second - 1) / micros_of_second;
}

void append_parameter(std::string& out, std::string_view name, std::int64_t value) {
  std::array<char, 20> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(name).append(digits.data(), end);
}

/// One of the two fields that go out with each response, in one allocation: `"class";a=1;b=2`.
std::string item(rate_class which, std::string_view a, std::int64_t a_value, std::string_view b,
                 std::int64_t b_value) {
  std::string text;
  text.reserve(48);
  text.append(1, '"').append(to_string(which)).append(1, '"');
  append_parameter(text, a, a_value);
  append_parameter(text, b, b_value);
  return text;
}

}  // namespace

std::string_view to_string(rate_class c) {
  return class_names[static_cast<std::size_t>(c)];
}

std::optional<rate_class> parse_rate_class(std::string_view text) {
  for (std::size_t i = 0; i < class_names.size(); ++i) {
    if (class_names[i] == text) return static_cast<rate_class>(i);
  }
  return std::nullopt;
}

window_limit limit_table::of(rate_class c) const {
  switch (c) {
    case rate_class::cli:
      return cli;
    case rate_class::trigger:
      return trigger_default;
    case rate_class::refused:
      return refused;
    case rate_class::anonymous:
      return anonymous;
    case rate_class::feed:
      return feed;
    case rate_class::download:
      return download;
    case rate_class::heartbeat:
      return heartbeat;
    case rate_class::probe:
      return probe;
    case rate_class::project:
      return project;
    case rate_class::runner:
      return runner;
    case rate_class::claim:
      return claim;
    case rate_class::session:
      return session;
    case rate_class::sign_in:
      return sign_in;
    case rate_class::sign_in_account:
      return sign_in_account;
    case rate_class::recovery:
      return recovery;
    case rate_class::invitations:
      return invitations;
    case rate_class::page:
      return page;
    case rate_class::health:
      return health;
    case rate_class::none:
      break;
  }
  return {};
}

window_limit limit_table::of_key(std::optional<std::uint32_t> limit, std::optional<std::uint32_t> seconds) const {
  if (!limit && !seconds) return trigger_default;
  auto const window = seconds.value_or(trigger_default.seconds);
  return {std::min(limit.value_or(trigger_default.limit), most_in_window(trigger_most, window)), window};
}

std::uint32_t most_in_window(std::uint32_t a_minute, std::uint32_t seconds) {
  constexpr std::uint64_t minute = 60, largest = 0xffffffff;
  auto const most = std::uint64_t{a_minute} * seconds / minute;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, largest));
}

result<> check_key_limit(window_limit const& wanted, std::uint32_t a_minute) {
  auto const most = most_in_window(a_minute, wanted.seconds);
  if (wanted.limit <= most) return {};
  auto const reason = "must be at most " + std::to_string(most) + " in " + std::to_string(wanted.seconds) +
                      " seconds: this installation allows a key " + std::to_string(a_minute) + " requests a minute";
  return error(errc::validation_failed, {}, {{"/rateLimit/limit", reason}});
}

limit_decision const& shown_of(limit_decision const& first, limit_decision const& second) {
  if (first.admitted != second.admitted) return first.admitted ? second : first;
  if (!first.admitted) return first.retry_micros > second.retry_micros ? first : second;
  return first.remaining < second.remaining ? first : second;
}

std::int64_t seconds_until(std::int64_t to_micros, std::int64_t from_micros, std::int64_t least) {
  return std::max(least, round_up(std::max<std::int64_t>(0, to_micros - from_micros)));
}

std::int64_t reset_seconds(limit_decision const& d) {
  return round_up(d.reset_micros);
}

std::string policy_value(limit_decision const& d) {
  return item(d.which, ";q=", d.window.limit, ";w=", d.window.seconds);
}

std::string state_value(limit_decision const& d) {
  return item(d.which, ";r=", d.remaining, ";t=", seconds_until(d.reset_micros, d.now_micros, 0));
}

}  // namespace svc
