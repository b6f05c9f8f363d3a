#include "svc/api/handlers.hpp"

namespace svc::api {

handler_table<handler> const& handlers() {
  static constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
      SVC_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
  };
  static constexpr handler_table<handler> table("contract", entries);
  return table;
}

}  // namespace svc::api
