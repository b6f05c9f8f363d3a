#include "svc/api/internal.hpp"

#include "api/handler_table.hpp"

namespace svc::api::internal {
namespace {

// The one table operationId -> handler; the start compares it with the contract.
constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
    SVC_INTERNAL_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
};
constexpr handler_table<handler> table("internal contract", entries);

}  // namespace

handler find_handler(std::string_view operation_id) {
  return table.find(operation_id);
}

void check_handlers(http::contract const& contract) {
  table.check(contract);
}

uuid call::run() const {
  return uuid::parse(path.front().second).value();
}

uuid call::claim() const {
  return uuid::parse(text("claimId")).value();
}

std::string call::text(std::string_view member) const {
  return std::string(body.at(member).as_string());
}

std::int64_t call::number(std::string_view member) const {
  auto const* const found = body.if_contains(member);
  return found == nullptr ? 0 : found->to_number<std::int64_t>();
}

}  // namespace svc::api::internal
