#include "svc/runner_api/runner_api.hpp"

namespace svc::runner_api {

handler_table<handler> const& handlers() {
  static constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
      SVC_INTERNAL_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
  };
  static constexpr handler_table<handler> table("internal contract", entries);
  return table;
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

}  // namespace svc::runner_api
