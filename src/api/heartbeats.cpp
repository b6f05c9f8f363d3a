#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include "api/call_options.hpp"

#include <algorithm>

namespace svc::api {
namespace {

std::string_view part_of(http::parameter_list const& path, std::string_view name) {
  auto const found = std::ranges::find(path, name, [](auto const& each) { return std::string_view(each.first); });
  return found == path.end() ? std::string_view() : std::string_view(found->second);
}

task<result<reply>> take_ping(call& c) {
  if (c.ping->only_post && c.operation.method != "POST") co_return errc::method_not_allowed;
  // The contract has the same list of signals.
  auto const signal = heartbeats::parse_signal(part_of(c.path, "signal"));
  if (!signal) co_return errc::not_found;
  store::arrived_ping ping{.monitor = c.ping->monitor, .signal = *signal, .run = query_id(c, "rid")};
  ping.key = secret_string(part_of(c.path, "key"));
  if (c.body.is_string()) ping.body = std::string(c.body.get_string());
  if (!co_await c.use.stores.hearts.take(std::move(ping), c.until)) co_return errc::not_found;
  reply out;
  out.text = "ok";
  out.content_type = "text/plain";
  co_return out;
}

}  // namespace

task<result<reply>> beat(call& c) {
  return take_ping(c);
}

task<result<reply>> post_beat(call& c) {
  return take_ping(c);
}

task<result<reply>> signal_beat(call& c) {
  return take_ping(c);
}

task<result<reply>> post_signal_beat(call& c) {
  return take_ping(c);
}

}  // namespace svc::api
