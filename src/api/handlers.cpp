#include "svc/api/handlers.hpp"

#include "api/handler_table.hpp"

namespace svc::api {
namespace {

// The one table operationId -> handler; the start compares it with the contract.
constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
    SVC_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
};
constexpr handler_table<handler> table("contract", entries);

}  // namespace

handler find_handler(std::string_view operation_id) {
  return table.find(operation_id);
}

void check_handlers(http::contract const& contract) {
  table.check(contract);
}

}  // namespace svc::api
