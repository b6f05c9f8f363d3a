#include "api/location.hpp"

#include "svc/api/services.hpp"

namespace svc::api {

std::string location_of(std::string_view public_url, std::string_view path) {
  std::size_t const authority = public_url.find("://");
  std::size_t const prefix = authority == std::string_view::npos ? authority : public_url.find('/', authority + 3);
  std::string out(prefix == std::string_view::npos ? std::string_view() : public_url.substr(prefix));
  if (!out.empty() && out.back() == '/') out.pop_back();
  return out.append(path);
}

reply created_reply(call const& c, boost::json::value shown, std::int64_t version, std::string_view path) {
  reply out{.status = 201, .body = std::move(shown), .version = version};
  out.fields.emplace_back("Location", location_of(c.use.public_url, path));
  return out;
}

}  // namespace svc::api
