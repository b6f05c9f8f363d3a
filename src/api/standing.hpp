#pragma once

#include "svc/auth/authenticator.hpp"
#include "svc/core/async.hpp"
#include "svc/http/contract.hpp"
#include "svc/limits/admission.hpp"
#include "svc/limits/fallback.hpp"

#include <functional>

namespace svc::api {

struct call;

/// Whether a credential that was let in may still do what it was let in for: asked again and again by answers that
/// last. Costs a window nothing. Worker-local, owned by the pipeline.
class standing {
 public:
  standing(auth::authenticator& who, limits::admission& admission, limits::fallback& fallback)
      : who_(who), admission_(admission), fallback_(fallback) {}

  /// Outlives the call. False also when nobody can know: neither Redis proves the record nor PostgreSQL answers.
  std::function<task<bool>()> check_for(call const& c);

 private:
  task<bool> holds(sha256_digest secret, http::operation const* op, uuid project, std::string address);
  bool good(token_record const& record, http::operation const& op, uuid project) const;

  auth::authenticator& who_;
  limits::admission& admission_;
  limits::fallback& fallback_;
};

}  // namespace svc::api
