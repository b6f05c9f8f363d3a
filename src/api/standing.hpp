#pragma once

#include "svc/auth/authenticator.hpp"
#include "svc/auth/decision.hpp"
#include "svc/core/async.hpp"
#include "svc/http/contract.hpp"
#include "svc/limits/admission.hpp"
#include "svc/limits/fallback.hpp"
#include "svc/live/run_streams.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace svc::api {

struct call;

/// Whether a credential that was let in may still do what it was let in for: asked again and again by answers that
/// last. Takes the same decision as the gate, but no window counts it. Whoever asks of one credential while it is
/// looked at shares the next look, so that its answers cost no more together than one. Worker-local, owned by the
/// pipeline.
class standing {
 public:
  standing(auth::authenticator& who, limits::admission& admission, limits::fallback& fallback)
      : who_(who), admission_(admission), fallback_(fallback) {}

  /// Outlives the call. `unknown` when neither Redis proves what is known of it nor PostgreSQL answers.
  live::permission_check check_for(call const& c);

 private:
  /// What is true of a credential: its record, or that there is none (`ended`), or nothing that anybody knows.
  struct finding {
    live::proof::kind what = live::proof::kind::unknown;
    auth::record_ptr record{};
  };
  struct round;
  struct look;
  struct asked {
    std::shared_ptr<round> next{};
    bool served = false;
  };

  task<live::proof> check(sha256_digest secret, http::operation const* op, uuid project, std::int64_t at_least);
  task<finding> ask(sha256_digest secret, std::int64_t at_least);
  task<> serve(sha256_digest secret);
  task<finding> find(sha256_digest secret, std::int64_t at_least);
  task<auth::action> carry_out(look& l, auth::action next);
  task<auth::action> fetch(look& l);
  task<auth::action> read(look& l, epoch_mode at_least);
  task<auth::action> admit(look& l, auth::action ask);
  finding conclude(look const& l);
  bool good(token_record const& record, http::operation const& op, uuid project) const;

  auth::authenticator& who_;
  limits::admission& admission_;
  limits::fallback& fallback_;
  std::unordered_map<sha256_digest, asked, digest_hash> asked_{};
};

}  // namespace svc::api
