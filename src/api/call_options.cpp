#include "api/call_options.hpp"

#include "svc/core/numbers.hpp"
#include "svc/http/headers.hpp"

#include <algorithm>

namespace svc::api {
namespace {

using std::chrono::seconds;

constexpr int longest = 55;

bool same_name(std::string_view a, std::string_view lower) {
  auto const same = [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x | 0x20 : x) == y; };
  return std::ranges::equal(a, lower, same);
}

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<seconds> wait_seconds(std::string_view text) {
  auto const value = parse_number<int>(text);
  if (!value || *value < 1 || *value > longest) return std::nullopt;
  return seconds(*value);
}

/// Reads what follows the name of a preference: `=5`, `="5"`. Parameters are ignored.
std::optional<seconds> value_of(std::string_view preference) {
  preference = preference.substr(0, preference.find(';'));
  auto const equals = preference.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  auto value = trimmed(preference.substr(equals + 1));
  if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return wait_seconds(value);
}

}  // namespace

result<std::optional<seconds>> preferred_wait(http::request const& head) {
  for (auto const& field : head.fields) {
    if (!same_name(field.name, "prefer")) continue;
    auto rest = field.value;
    while (auto const element = http::next_element(rest)) {
      auto const name = element->substr(0, element->find_first_of("=; \t"));
      if (!same_name(name, "wait")) continue;
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
