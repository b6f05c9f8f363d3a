#include "svc/domain/pages/address.hpp"

namespace svc::pages {

page_address page_address::on_service(std::string_view origin, std::string_view slug) {
  page_address out;
  out.origin_ = origin;
  out.page_ = "/status/" + std::string(slug);
  out.data_ = "/api/status-pages/" + std::string(slug);
  return out;
}

page_address page_address::on_domain(std::string_view origin) {
  page_address out;
  out.origin_ = origin;
  return out;
}

std::string_view page_address::host() const {
  std::string_view const text = origin_;
  auto const scheme = text.find("://");
  return scheme == text.npos ? text : text.substr(scheme + 3);
}

}  // namespace svc::pages
