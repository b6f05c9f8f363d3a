#include "api/call_options.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/headers.hpp"

namespace svc::api {
namespace {

using std::chrono::seconds;

constexpr int longest = 55;

std::optional<seconds> wait_seconds(std::string_view text) {
  auto const value = parse_number<int>(text);
  if (!value || *value < 1 || *value > longest) return std::nullopt;
  return seconds(*value);
}

/// Reads the rest after the name of a preference: `=5`, `="5"`. Parameters are ignored.
std::optional<seconds> value_of(std::string_view preference) {
  preference = preference.substr(0, preference.find(';'));
  auto const equals = preference.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  auto value = trim(preference.substr(equals + 1));
  if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return wait_seconds(value);
}

}  // namespace

result<std::optional<seconds>> preferred_wait(http::request const& head) {
  for (auto const& field : head.fields) {
    if (!iequals(field.name, "prefer")) continue;
    auto rest = field.value;
    while (auto const element = http::next_element(rest)) {
      auto const name = element->substr(0, element->find_first_of("=; \t"));
      if (!iequals(name, "wait")) continue;
      // The first one counts (RFC 7240 2).
      if (auto const wanted = value_of(*element)) return std::optional(*wanted);
      return error(errc::validation_failed, "Send Prefer: wait=N with 1 to 55 seconds.",
                   {{"Prefer", "wait must be a number from 1 to 55"}});
    }
  }
  return std::optional<seconds>();
}

result<std::optional<seconds>> wanted_wait(call const& c) {
  // The contract has checked the parameter.
  if (auto const asked = c.query_value("wait")) return wait_seconds(*asked);
  return preferred_wait(c.request);
}

}  // namespace svc::api
