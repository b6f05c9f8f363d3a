#include "domain/monitoring/checks/json_cost.hpp"
#include "svc/domain/monitoring/checks/assertion.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace svc::checks {

boost::json::value const* assertion_context::json() {
  if (tried_) return json_ ? &*json_ : nullptr;
  tried_ = true;
  constexpr std::string_view mark = "\xef\xbb\xbf";
  auto const text = body_.starts_with(mark) ? body_.substr(mark.size()) : body_;
  boost::json::parse_options options;
  options.max_depth = 128;
  options.allow_invalid_utf8 = true;
  fault_ = fault_of_json(text, options);
  if (!fault_.empty()) return nullptr;
  boost::json::error_code failed;
  auto read = boost::json::parse({text.data(), text.size()}, failed, {}, options);
  if (failed) {
    fault_ = "no JSON";
    return nullptr;
  }
  return &json_.emplace(std::move(read));
}

std::size_t assertion_context::may_search(int size) const {
  return static_cast<std::size_t>(regex_left_ / static_cast<std::uint64_t>(std::max(size, 1)));
}

void assertion_context::searched(std::size_t bytes, int size) {
  regex_left_ -= std::min(regex_left_, bytes * static_cast<std::uint64_t>(std::max(size, 1)));
}

}  // namespace svc::checks
