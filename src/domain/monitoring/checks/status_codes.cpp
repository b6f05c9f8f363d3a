#include "svc/domain/monitoring/checks/status_codes.hpp"

#include "domain/monitoring/checks/text.hpp"
#include "svc/core/ascii.hpp"

#include <algorithm>
#include <string>

namespace svc::checks {
namespace {

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Three digits of which the first is not 0; else 0.
int three_digits(std::string_view text) {
  if (text.size() != 3 || !all_digits(text) || text[0] == '0') return 0;
  return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

error wrong_item(std::string_view item, std::string_view reason) {
  return {errc::validation_failed, '"' + shown(item) + "\" " + std::string(reason)};
}

}  // namespace

result<status_codes> status_codes::parse(std::string_view text) {
  if (text.size() > longest_text) {
    return error(errc::validation_failed, "must have at most " + std::to_string(longest_text) + " characters");
  }
  status_codes out;
  for (;;) {
    auto const comma = text.find(',');
    if (auto added = out.add(trim(text.substr(0, comma))); !added) return added.error();
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

result<> status_codes::add(std::string_view item) {
  if (item.empty())
    return error(errc::validation_failed, "must have a code such as 200, 200-299 or 2xx at each comma");
  int first = three_digits(item), last = first;
  if (item.size() == 3 && iequals(item.substr(1), "xx")) {
    first = three_digits(std::string{item[0], '0', '0'});
    last = first + 99;
  } else if (auto const dash = item.find('-'); dash != std::string_view::npos) {
    first = three_digits(trim(item.substr(0, dash)));
    last = three_digits(trim(item.substr(dash + 1)));
    if (last == 0) first = 0;
  }
  if (first == 0)
    return wrong_item(item, "must be a code such as 200, a range such as 200-299 or a class such as 2xx");
  if (first > last) return wrong_item(item, "must begin with the lower code");
  for (int code = first; code <= last; ++code) codes_.set(static_cast<std::size_t>(code - least));
  return {};
}

bool status_codes::has(int code) const {
  return code >= least && code <= most && codes_.test(static_cast<std::size_t>(code - least));
}

}  // namespace svc::checks
