#include "cli/http/retry.hpp"

#include "cli/http/refusal.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/numbers.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace svc::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double first_backoff_ms = 500;
constexpr double longest_backoff_ms = 20'000;
constexpr double jitter_of_asked = 0.2;
/// Longer than any wait that the client starts, and far from an overflow.
constexpr std::int64_t most_seconds = 1'000'000'000;

bool repeatable(request const& r) {
  constexpr std::array<std::string_view, 4> methods{"GET", "HEAD", "PUT", "DELETE"};
  if (std::find(methods.begin(), methods.end(), r.method) != methods.end()) return true;
  return std::any_of(r.fields.begin(), r.fields.end(),
                     [](auto const& f) { return lower_case(f.first) == "idempotency-key"; });
}

/// Reads a count of only digits; more than `most_seconds` is `most_seconds`.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  auto const value = parse_number<std::int64_t>(text);
  return value ? std::min(*value, std::int64_t{100} * most_seconds) : std::int64_t{100} * most_seconds;
}

seconds from_now_on(std::int64_t count) {
  return seconds(std::clamp<std::int64_t>(count, 0, most_seconds));
}

std::optional<seconds> retry_after_of(answer const& a) {
  auto const* const text = a.field("retry-after");
  if (text == nullptr) return std::nullopt;
  if (auto const count = whole_number(*text)) return from_now_on(*count);
  auto const time = http_date(text), now = http_date(a.field("date"));
  if (!time || !now) return std::nullopt;
  return from_now_on(*time - *now);
}

std::optional<seconds> reset_after_of(answer const& a) {
  auto const* const text = a.field("x-ratelimit-reset");
  auto const now = http_date(a.field("date"));
  auto const time = text == nullptr ? std::nullopt : whole_number(*text);
  if (!time || !now) return std::nullopt;
  return from_now_on(*time - *now);
}

milliseconds milliseconds_of(double count) {
  return milliseconds(static_cast<milliseconds::rep>(count));
}

/// Zero counts as absent, because many clients that may retry at once would do so together.
std::optional<seconds> asked_by(outcome const& o) {
  if (o.status == 0) return std::nullopt;
  auto const asked = o.retry_after ? o.retry_after : o.status == 429 ? o.reset_after : std::nullopt;
  return asked && asked->count() > 0 ? asked : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> http_date(std::string const* text) {
  if (text == nullptr) return std::nullopt;
  auto const position = ::curl_getdate(text->c_str(), nullptr);
  if (position < 0) return std::nullopt;
  return position;
}

retry_policy::retry_policy(request const& r) : safe_to_repeat_(repeatable(r)) {}

bool retry_policy::worth_another(outcome const& o) const {
  if (tries_ >= most_tries) return false;
  if (o.status == 0) return o.transient && (safe_to_repeat_ || !o.sent);
  if (o.status == 429) return true;
  if (o.status == 409) return o.code == "idempotency_in_progress" || o.code == "queue_full";
  return safe_to_repeat_ && (o.status == 502 || o.status == 503 || o.status == 504);
}

retry_decision retry_policy::after(outcome const& o, std::optional<milliseconds> left, double fraction) {
  if (!worth_another(o)) return {};
  retry_decision out{next_step::wait, {}, asked_by(o)};
  if (auto const asked = out.asked) {
    // The deadline is compared with the requested wait, not with the random one; the jitter uses the remaining time.
    auto const whole = static_cast<double>(milliseconds(*asked).count());
    auto const room = left ? std::max(0.0, static_cast<double>(left->count()) - whole) : whole;
    out.wait = milliseconds_of(whole + fraction * std::min(jitter_of_asked * whole, room));
    if (!left && *asked > longest_wait) out.step = next_step::too_long;
  } else {
    auto const whole = std::min(first_backoff_ms * std::pow(2, tries_ - 1), longest_backoff_ms);
    out.wait = milliseconds_of(whole * fraction);
  }
  if (left && out.wait >= *left) out.step = next_step::past_deadline;
  if (out.step == next_step::wait) ++tries_;
  return out;
}

outcome outcome_of(answer const& a) {
  outcome out{.status = a.status, .sent = true, .retry_after = retry_after_of(a), .reset_after = reset_after_of(a)};
  if (a.status == 409) {
    if (auto const said = service_error_of(a)) out.code = said->code;
  }
  return out;
}

}  // namespace svc::cli
