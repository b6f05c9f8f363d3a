#include "svc/postgres/session_target.hpp"

#include "postgres/libpq.hpp"

#include <cstdlib>
#include <string_view>

namespace svc::postgres {

char const* default_session_target(char const* url) {
  if (std::getenv("PGTARGETSESSIONATTRS") != nullptr) return nullptr;
  PQconninfoOption* const all = PQconninfoParse(url, nullptr);
  if (all == nullptr) return nullptr;
  bool several = false, chosen = false;
  for (PQconninfoOption* o = all; o->keyword != nullptr; ++o) {
    std::string_view const name(o->keyword), value(o->val == nullptr ? "" : o->val);
    if (name == "host" || name == "hostaddr") several = several || value.find(',') != value.npos;
    if (name == "target_session_attrs") chosen = !value.empty();
  }
  PQconninfoFree(all);
  return several && !chosen ? "primary" : nullptr;
}

}  // namespace svc::postgres
