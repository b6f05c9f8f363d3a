#include "api/location.hpp"

namespace svc::api {

std::string location_of(std::string_view public_url, std::string_view path) {
  std::size_t const authority = public_url.find("://");
  std::size_t const prefix = authority == std::string_view::npos ? authority : public_url.find('/', authority + 3);
  std::string out(prefix == std::string_view::npos ? std::string_view() : public_url.substr(prefix));
  if (!out.empty() && out.back() == '/') out.pop_back();
  return out.append(path);
}

}  // namespace svc::api
