#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/access/fallback.hpp"
#include "svc/core/async.hpp"
#include "svc/http/contract.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace svc::access {

/// What a second look at a credential found.
struct permission_state {
  enum class kind : std::uint8_t {
    granted,
    withdrawn,
    unknown,  ///< neither store can tell now
  };
  kind content = kind::unknown;
  std::int64_t epoch = 0;  ///< granted: its subject's, as Redis or PostgreSQL confirmed it
};

/// Asks whether a credential may still do what it was admitted for. A record read before the epoch `at_least` does
/// not count; 0 accepts any. Throws nothing.
using permission_check = std::function<task<permission_state>(std::int64_t at_least)>;

/// Checks whether an admitted credential may still do what it was admitted for; long-lived responses ask again and
/// again. Takes the same decision as the gate, but counts in no window. All who ask about a credential while a check
/// of it is under way share the next check, so the streams of one credential cost no more than one stream does.
/// Worker-local, owned by the pipeline.
class reauthorization {
 public:
  reauthorization(authenticator& authenticator, admission& admission, fallback& fallback)
      : authenticator_(authenticator), admission_(admission), fallback_(fallback) {}

  /// The returned check may outlive the request. It says `unknown` when neither Redis confirms what is known of the
  /// credential nor PostgreSQL answers.
  permission_check check_for(sha256_digest secret, http::operation const& op, uuid project);

 private:
  /// What a check found: the credential's record, or that there is none (`withdrawn`), or that neither store can tell
  /// (`unknown`).
  struct finding {
    permission_state::kind kind = permission_state::kind::unknown;
    record_ptr record{};
  };
  struct round;
  struct attempt;
  struct asked {
    std::shared_ptr<round> next{};
    bool served = false;
  };

  task<permission_state> check(sha256_digest secret, http::operation const* op, uuid project, std::int64_t at_least);
  task<finding> ask(sha256_digest secret, std::int64_t at_least);
  task<> serve(sha256_digest secret);
  task<finding> find(sha256_digest secret, std::int64_t at_least);
  task<action> carry_out(attempt& a, action next);
  task<action> admit(attempt& a, action ask);
  bool good(token_record const& record, http::operation const& op, uuid project) const;

  authenticator& authenticator_;
  admission& admission_;
  fallback& fallback_;
  std::unordered_map<sha256_digest, asked, digest_hash> asked_{};
};

}  // namespace svc::access
