#include "monitoring/notifications/providers/config_reader.hpp"

#include "svc/egress/url.hpp"

namespace svc::notifications {

std::string config_reader::text(std::string_view name, std::string fallback) {
  auto const* const found = config_.if_contains(name);
  if (found == nullptr || found->is_null()) return fallback;
  if (auto const* const text = found->if_string()) return std::string(*text);
  refuse(name, "must be a string");
  return fallback;
}

std::string config_reader::required_text(std::string_view name) {
  auto out = text(name);
  if (out.empty()) refuse(name, "is required");
  return out;
}

std::optional<std::string> config_reader::optional_text(std::string_view name) {
  auto out = text(name);
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string config_reader::url(std::string_view name, bool allows_http) {
  auto out = required_text(name);
  if (out.empty()) return out;
  auto const url = egress::parse_http_url(out);
  if (!url)
    refuse(name, url.error().message);
  else if (!url->where.secure && !allows_http)
    refuse(name, "must be an https URL");
  return out;
}

void config_reader::refuse(std::string_view name, std::string problem) {
  problems_.push_back({"/config/" + std::string(name), std::move(problem)});
}

}  // namespace svc::notifications
