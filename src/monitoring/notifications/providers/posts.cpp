#include "monitoring/notifications/providers/posts.hpp"

#include <boost/json/serialize.hpp>

namespace svc::notifications {

http_post json_post(std::string url, boost::json::object const& body) {
  return {
      .url = std::move(url), .fields = {{"Content-Type", "application/json"}}, .body = boost::json::serialize(body)};
}

std::string joined(std::vector<std::string> const& lines) {
  std::string out;
  for (auto const& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

}  // namespace svc::notifications
