#include "monitoring/notifications/providers/answer_reader.hpp"

#include "monitoring/notifications/providers/provider_types.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

namespace svc::notifications {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr milliseconds longest_pause = 1h;
/// The receiver chooses its response, and parsing costs the thread of all messages. Responses that ask for a pause
/// have a few hundred bytes.
constexpr std::size_t longest_parsed = 4096, deepest_parsed = 8;

/// Limits a pause to an hour.
std::optional<milliseconds> pause_of(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
  auto const all = std::ceil(std::min(seconds, 3600.0) * 1000);
  return std::min(milliseconds(static_cast<milliseconds::rep>(all)), longest_pause);
}

/// Reads an IMF-fixdate (RFC 9110 5.6.7). The obsolete forms are ignored.
std::optional<milliseconds> pause_until(std::string_view date, timestamp now) {
  std::tm parts{};
  auto const text = std::string(date);
  auto const* const end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return pause_of(static_cast<double>(timegm(&parts)) - static_cast<double>(now.micros) / 1e6);
}

json::value parsed(std::string_view body) {
  json::parse_options options;
  options.max_depth = deepest_parsed;
  json::error_code failed;
  auto out = json::parse({body.data(), body.size()}, failed, {}, options);
  return failed ? json::value(nullptr) : out;
}

bool is_2xx(int status) {
  return status >= 200 && status < 300;
}

/// Reads `Retry-After` of a response that is no success.
void read_retry_after(provider_answer const& answer, timestamp now, outcome& result) {
  auto const after = field_of(answer, "retry-after");
  if (after.empty() || is_2xx(answer.status)) return;
  auto const seconds = pause_in_text(after);
  extend_pause(result, seconds ? seconds : pause_until(after, now));
}

outcome refusal(int status) {
  switch (status) {
    case 401:
    case 403:
      return {.state = fate::dead, .cause = reason::auth_failed};
    case 404:
    case 405:
      return {.state = fate::dead, .cause = reason::refused};
    case 410:
      return {.state = fate::dead, .cause = reason::refused, .gone = true};
    case 400:
    case 413:
    case 422:
      return {.state = fate::dead, .cause = reason::rejected};
    case 429:
      return {.state = fate::retry, .cause = reason::rate_limited};
    default:
      return {.state = fate::retry, .cause = reason::refused};
  }
}

}  // namespace

bool accepts_any_2xx(provider_answer const& answer) {
  return is_2xx(answer.status);
}

bool accepts_200(provider_answer const& answer) {
  return answer.status == 200;
}

std::string_view field_of(provider_answer const& answer, std::string_view name) {
  auto const found = std::ranges::find(answer.fields, name, &std::pair<std::string, std::string>::first);
  return found == answer.fields.end() ? std::string_view() : std::string_view(found->second);
}

json::value const* member_of(json::value const& value, std::string_view name) {
  auto const* const object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::optional<milliseconds> pause_in_text(std::string_view text) {
  double seconds = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return pause_of(seconds);
}

std::optional<milliseconds> pause_in_number(json::value const* number) {
  if (number == nullptr || !number->is_number()) return std::nullopt;
  return pause_of(number->to_number<double>());
}

void extend_pause(outcome& result, std::optional<milliseconds> pause) {
  result.not_before = std::max(result.not_before, pause.value_or(0ms));
}

outcome read_answer(provider_type type, int status, std::vector<std::pair<std::string, std::string>> const& fields,
                    std::string_view body, timestamp now) {
  auto const& row = row_of(type);
  provider_answer answer{
      .status = status, .fields = fields, .body = body, .body_is_long = body.size() > longest_parsed};
  if (row.parses_answers && !answer.body_is_long) answer.parsed_body = parsed(body);
  auto out = row.accepts(answer) ? outcome{.state = fate::taken, .cause = reason::delivered} : refusal(status);
  out.status = status;
  read_retry_after(answer, now, out);
  if (row.refine != nullptr) row.refine(answer, out);
  return out;
}

}  // namespace svc::notifications
