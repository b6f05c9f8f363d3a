// The rights that docs/operating.md gives to the service's users, and how each of them is tried.
#include "app/configuration/redis_check.hpp"

namespace svc::app {
namespace {

/// A key and a channel that match `svc:*` and that nothing else uses.
constexpr auto place = "svc:check";

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
      {"+publish", {"PUBLISH", place, ""}},
      {"+time", {"TIME"}},
      {"+get", {"GET", place}},
      {"+mget", {"MGET", place}},
      // XX: only if the key exists.
      {"+set", {"SET", place, "", "XX", "PX", "1"}},
      {"+pexpire", {"PEXPIRE", place, "1"}},
      {"+unlink", {"UNLINK", place}},
      {"+lindex", {"LINDEX", place, "0"}},
      {"+llen", {"LLEN", place}},
      {"+ltrim", {"LTRIM", place, "0", "-1"}},
      {"+rpop", {"RPOP", place}},
      {"+lpush", {"LPUSH", place, ""}},
      {"+del", {"DEL", place}},
      {"+hget", {"HGET", place, "f"}},
      {"+hmget", {"HMGET", place, "f"}},
      // A field without its value, and no number: refused after the right was looked at.
      {"+hset", {"HSET", place, "f", "v", "g"}},
      {"+hdel", {"HDEL", place, "f"}},
      {"+hexists", {"HEXISTS", place, "f"}},
      {"+hincrby", {"HINCRBY", place, "f", "x"}},
      {"+zadd", {"ZADD", place, "XX", "0", "m"}},
      {"+zrem", {"ZREM", place, "m"}},
      {"+zrangebyscore", {"ZRANGEBYSCORE", place, "0", "0"}},
      {"+zremrangebyscore", {"ZREMRANGEBYSCORE", place, "0", "0"}},
      {"+xadd", {"XADD", place, "NOMKSTREAM", "*", "f", "v"}},
      {"+xrange", {"XRANGE", place, "-", "+", "COUNT", "1"}},
      {"+xrevrange", {"XREVRANGE", place, "+", "-", "COUNT", "1"}},
      {"+lrem", {"LREM", place, "0", ""}, cluster},
      {"+asking", {"ASKING"}, cluster},
      {"+cluster|info", {"CLUSTER", "INFO"}, cluster},
      {"+cluster|slots", {"CLUSTER", "SLOTS"}, cluster},
      {"+spublish", {"SPUBLISH", place, ""}, cluster},
      {"+ping", {"PING"}, sentinel},
      {"+client|setname", {"CLIENT", "SETNAME", "svcd"}, sentinel},
      {"+sentinel|get-master-addr-by-name", {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "svc"}, sentinel},
      {"+subscribe", {"SUBSCRIBE", "+switch-master"}, sentinel},
      // A subscriber may send nothing else.
      {"+subscribe", {"SUBSCRIBE", place}},
      {"+unsubscribe", {"UNSUBSCRIBE", place}},
      {"+ssubscribe", {"SSUBSCRIBE", place}, cluster},
      {"+sunsubscribe", {"SUNSUBSCRIBE", place}, cluster},
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
