#include "access/scripts.hpp"

#include "svc/access/authenticator.hpp"
#include "svc/domain/subject_key.hpp"

namespace svc::embedded {
extern std::string_view const announce_lua;
extern std::string_view const put_lua;
extern std::string_view const raise_lua;
}  // namespace svc::embedded

namespace svc::access {

redis::script const& raise_script() {
  static redis::script const raise("raise", embedded::raise_lua);
  return raise;
}

redis::script const& put_script() {
  static redis::script const put("put", embedded::put_lua);
  return put;
}

redis::script const& announce_script() {
  static redis::script const announce("announce", embedded::announce_lua);
  return announce;
}

std::vector<redis::script const*> scripts() {
  return {&raise_script(), &put_script(), &announce_script()};
}

task<bool> raise_epoch(redis::client& redis, subject_epoch one, deadline until) {
  std::string const key = epoch_key(one.subject.to_string());
  std::string const epoch = std::to_string(one.epoch);
  std::string const life = epoch_life_millis();
  std::string_view const keys[] = {key};
  std::string_view const arguments[] = {epoch, life};
  auto const raised = co_await redis.evaluate(raise_script(), keys, arguments, until);
  co_return raised.ok();
}

}  // namespace svc::access
