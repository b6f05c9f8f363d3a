// The rights that docs/operating.md gives to the service's users, and the command that tries each of them.
#include "app/configuration/connection_checks.hpp"

namespace svc::app {
namespace {

/// A key and a channel that match `svc:*` and that nothing else uses.
constexpr auto location = "svc:check";

using enum right_scope;

std::vector<probed_right> all_rights() {
  std::string const unknown_script(40, '0');
  return {
      {"+ping", {"PING"}},
      {"+role", {"ROLE"}},
      {"+info", {"INFO", "memory"}},
      {"+client|setname", {"CLIENT", "SETNAME", "svcd"}},
      {"+script|load", {"SCRIPT", "LOAD", "return 1"}},
      {"+evalsha", {"EVALSHA", unknown_script, "0"}},
      {"+publish", {"PUBLISH", location, ""}},
      {"+time", {"TIME"}},
      {"+get", {"GET", location}},
      {"+mget", {"MGET", location}},
      // XX: only if the key exists.
      {"+set", {"SET", location, "", "XX", "PX", "1"}},
      {"+pexpire", {"PEXPIRE", location, "1"}},
      {"+unlink", {"UNLINK", location}},
      {"+lindex", {"LINDEX", location, "0"}},
      {"+llen", {"LLEN", location}},
      {"+ltrim", {"LTRIM", location, "0", "-1"}},
      {"+rpop", {"RPOP", location}},
      {"+lpush", {"LPUSH", location, ""}},
      {"+del", {"DEL", location}},
      {"+hget", {"HGET", location, "f"}},
      {"+hmget", {"HMGET", location, "f"}},
      // A field without its value, or a text instead of a number: Redis refuses it after it has checked the right.
      {"+hset", {"HSET", location, "f", "v", "g"}},
      {"+hdel", {"HDEL", location, "f"}},
      {"+hexists", {"HEXISTS", location, "f"}},
      {"+hincrby", {"HINCRBY", location, "f", "x"}},
      {"+zadd", {"ZADD", location, "XX", "0", "m"}},
      {"+zrem", {"ZREM", location, "m"}},
      {"+zrangebyscore", {"ZRANGEBYSCORE", location, "0", "0"}},
      {"+zremrangebyscore", {"ZREMRANGEBYSCORE", location, "0", "0"}},
      {"+xadd", {"XADD", location, "NOMKSTREAM", "*", "f", "v"}},
      {"+xrange", {"XRANGE", location, "-", "+", "COUNT", "1"}},
      {"+xrevrange", {"XREVRANGE", location, "+", "-", "COUNT", "1"}},
      {"+lrem", {"LREM", location, "0", ""}, cluster},
      {"+asking", {"ASKING"}, cluster},
      {"+cluster|info", {"CLUSTER", "INFO"}, cluster},
      {"+cluster|slots", {"CLUSTER", "SLOTS"}, cluster},
      {"+spublish", {"SPUBLISH", location, ""}, cluster},
      {"+ping", {"PING"}, sentinel},
      {"+client|setname", {"CLIENT", "SETNAME", "svcd"}, sentinel},
      {"+sentinel|get-master-addr-by-name", {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "svc"}, sentinel},
      {"+subscribe", {"SUBSCRIBE", "+switch-master"}, sentinel},
      // A subscriber may send nothing else.
      {"+subscribe", {"SUBSCRIBE", location}},
      {"+unsubscribe", {"UNSUBSCRIBE", location}},
      {"+ssubscribe", {"SSUBSCRIBE", location}, cluster},
      {"+sunsubscribe", {"SUNSUBSCRIBE", location}, cluster},
  };
}

}  // namespace

std::vector<probed_right> const& probed_rights() {
  static std::vector<probed_right> const all = all_rights();
  return all;
}

std::optional<std::string> missing_right(probed_right const& right, redis::reply const& reply) {
  if (reply.error_code() != "NOPERM") return std::nullopt;
  auto const says = [&](std::string_view word) { return reply.text.find(word) != std::string::npos; };
  if (says(" to run ")) return std::string(right.rule);
  if (says(" channel")) return right.scope == sentinel ? "&+switch-master" : "&svc:*";
  return "~svc:*";
}

}  // namespace svc::app
