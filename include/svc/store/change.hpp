#pragma once

#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/principal.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc {

/// The versions of a resource that `If-Match` and `If-None-Match` allow a request to change (RFC 9110 13.1). A value.
struct version_condition {
  std::optional<std::vector<std::int64_t>> match{};  ///< one of these; empty optional: any
  std::vector<std::int64_t> none_match{};            ///< none of these

  bool allows(std::int64_t version) const {
    return (!match || std::ranges::find(*match, version) != match->end()) &&
           std::ranges::find(none_match, version) == none_match.end();
  }
};

}  // namespace svc

namespace svc::store {

/// The return value of a writing method: the outcome, and the subject epochs that Redis must hold before the response
/// is sent. `touched` is filled on refusals too, because a 404 for a tombstone or an update without effect reveals an
/// earlier change. Such a refusal carries the epochs that its transaction read. A value.
template <class T = void>
struct [[nodiscard]] change {
  result<T> outcome;
  std::vector<subject_epoch> touched{};

  change(result<T> o, std::vector<subject_epoch> t = {}) : outcome(std::move(o)), touched(std::move(t)) {}
  change(errc code, std::vector<subject_epoch> t = {}) : outcome(error(code)), touched(std::move(t)) {}
  change(error failure, std::vector<subject_epoch> t = {}) : outcome(std::move(failure)), touched(std::move(t)) {}
};

/// The actor of a change, the project it happens in, and the versions it may apply to. A value.
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
