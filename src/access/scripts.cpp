#include "access/scripts.hpp"

#include "svc/access/authenticator.hpp"

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

}  // namespace svc::access
