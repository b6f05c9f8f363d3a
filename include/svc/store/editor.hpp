#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::store {

/// Who changes something in which project, and under which condition. A value.
struct editor {
  uuid project;
  uuid organization;
  audit_actor actor;
  /// Versions that `If-Match` allows; nothing: any.
  std::optional<std::vector<std::int64_t>> expected{};

  bool expects(std::int64_t version) const {
    return !expected || std::ranges::find(*expected, version) != expected->end();
  }
  audit_entry entry(std::string action, std::string resource, uuid id, std::string details = "{}") const {
    return {actor, organization, project, std::move(action), std::move(resource), id, std::move(details)};
  }
};

}  // namespace svc::store
