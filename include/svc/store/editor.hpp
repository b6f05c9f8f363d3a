#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/version_condition.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace svc::store {

/// Who changes something in which project, and under which condition. A value.
struct editor {
  uuid project;
  uuid organization;
  audit_actor actor;
  version_condition expected{};

  bool expects(std::int64_t version) const { return expected.allows(version); }
  audit_entry entry(std::string action, std::string resource, uuid id, std::string details = "{}") const {
    return {actor, organization, project, std::move(action), std::move(resource), id, std::move(details)};
  }
};

}  // namespace svc::store
