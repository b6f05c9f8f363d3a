#include "sign_in/oidc/claims_json.hpp"

#include "svc/http/json.hpp"

namespace svc::sign_in {

std::optional<boost::json::object> parse_object(std::string_view text) {
  if (text.size() > longest_document) return std::nullopt;
  auto parsed = http::parse_json(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(parsed->as_object());
}

std::optional<std::string_view> text_member(boost::json::object const& object, std::string_view name) {
  auto const* const found = object.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string_view(found->as_string());
}

std::optional<std::int64_t> time_member(boost::json::object const& object, std::string_view name) {
  // The year 9999: beyond it the arithmetic of times could overflow.
  constexpr double latest = 253'402'300'799.0;
  auto const* const found = object.if_contains(name);
  if (found == nullptr || !found->is_number() || found->is_uint64()) return std::nullopt;
  auto const number = found->is_int64() ? static_cast<double>(found->as_int64()) : found->as_double();
  if (!(number >= 0 && number <= latest)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::vector<std::string>> text_list(boost::json::value const& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(value.as_array().size());
  for (auto const& each : value.as_array()) {
    if (!each.is_string()) return std::nullopt;
    out.emplace_back(each.as_string());
  }
  return out;
}

}  // namespace svc::sign_in
