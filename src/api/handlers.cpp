#include "svc/api/handlers.hpp"

#include <algorithm>

namespace svc::api {
namespace {

struct entry {
  std::string_view operation_id;
  handler run;
};

// The one table operationId -> handler; the start compares it with the contract.
constexpr entry table[] = {
#define SVC_ENTRY(name) {#name, &name},
    SVC_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
};

}  // namespace

handler find_handler(std::string_view operation_id) {
  auto const found = std::find_if(std::begin(table), std::end(table),
                                  [&](entry const& e) { return e.operation_id == operation_id; });
  return found == std::end(table) ? nullptr : found->run;
}

std::vector<std::string_view> handled_operations() {
  std::vector<std::string_view> ids;
  for (entry const& e : table) ids.push_back(e.operation_id);
  return ids;
}

}  // namespace svc::api
