#include "svc/api/internal.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::api::internal {
namespace {

struct entry {
  std::string_view operation_id;
  handler run;
};

// The one table operationId -> handler; the start compares it with the contract.
constexpr entry table[] = {
#define SVC_ENTRY(name) {#name, &name},
    SVC_INTERNAL_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
};

}  // namespace

handler find_handler(std::string_view operation_id) {
  auto const found = std::ranges::find(table, operation_id, &entry::operation_id);
  return found == std::end(table) ? nullptr : found->run;
}

void check_handlers(http::contract const& contract) {
  std::string wrong;
  auto const& operations = contract.operations();
  for (auto const& op : operations) {
    if (find_handler(op.id) == nullptr) wrong += " operation without handler: " + op.id + ";";
  }
  for (entry const& e : table) {
    if (std::ranges::none_of(operations, [&](auto const& op) { return op.id == e.operation_id; }))
      wrong += " handler without operation: " + std::string(e.operation_id) + ";";
  }
  if (!wrong.empty()) throw std::runtime_error("the internal contract and the handlers differ:" + wrong);
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
