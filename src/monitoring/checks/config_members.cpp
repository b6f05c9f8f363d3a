#include "monitoring/checks/config_members.hpp"

#include "svc/domain/monitoring/checks/json_path.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace svc::checks {

namespace json = boost::json;

namespace {

assertion_settings read_assertion(json::object const& object, std::string path, std::vector<field_error>& wrong) {
  member_reader reader(object, std::move(path), wrong);
  assertion_settings out{};
  auto const source = source_named(reader.text("source", 32).value_or(""));
  if (source)
    out.source = *source;
  else
    reader.refuse("source",
                  "must be one of status, header, body, json, responseTimeMs, certificateDays, ip, dnsAnswer");
  auto const comparison = comparison_named(reader.text("comparison", 32).value_or(""));
  if (comparison)
    out.comparison = *comparison;
  else
    reader.refuse("comparison", "must be a comparison such as equals, contains or matches");
  out.property = reader.text("property", json_path::longest_text).value_or("");
  out.expected = expected_of(reader, "expected").value_or(expected_value{});
  out.soft = reader.choice("onFail", {"down", "degraded"}) == 1;
  reader.finish();
  return out;
}

}  // namespace

std::optional<expected_value> expected_of(member_reader& config, std::string_view name) {
  auto const* const value = config.take(name);
  if (value == nullptr) return std::nullopt;
  switch (value->kind()) {
    case json::kind::bool_:
      return value->get_bool();
    case json::kind::int64:
      return value->get_int64();
    case json::kind::double_:
      return value->get_double();
    case json::kind::string:
      if (value->get_string().size() <= 2048) return std::string(value->get_string());
      break;
    default:
      break;
  }
  config.refuse(name, "must be a text of at most 2048 bytes, a number, true, false or null");
  return std::nullopt;
}

text_with_variables text_of_member(member_reader& config, std::string_view name, std::size_t most,
                                   std::size_t filled) {
  auto const text = config.text(name, most);
  if (!text) return {};
  auto read = text_with_variables::parse(*text, std::max(most, filled));
  if (read) return std::move(*read);
  config.refuse(name, read.error().message);
  return {};
}

egress::ip_family family_of(member_reader& config) {
  return static_cast<egress::ip_family>(config.choice("ipVersion", {"auto", "4", "6"}));
}

std::vector<assertion_settings> assertions_of(member_reader& config) {
  std::vector<assertion_settings> out;
  auto const all = config.list("assertions", most_assertions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto path = config.place_of("assertions") + "/" + std::to_string(i);
    if (auto const* const object = all[i].if_object())
      out.push_back(read_assertion(*object, std::move(path), config.wrong()));
    else
      config.wrong().push_back({std::move(path), "must be an object"});
  }
  return out;
}

void visit_patterns_of(std::vector<assertion> const& assertions, std::function<void(re2::RE2 const&)> const& visit) {
  for (auto const& each : assertions)
    if (auto const& pattern = each.pattern()) visit(*pattern);
}

}  // namespace svc::checks
