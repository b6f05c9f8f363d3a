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
#include <optional>
#include <string>
#include <unordered_map>

namespace svc::access {

/// The result of another check of a credential.
struct permission_state {
  enum class kind : std::uint8_t {
    granted,
    withdrawn,
    unknown,  ///< neither store can answer now
  };
  kind content = kind::unknown;
  std::int64_t epoch = 0;    ///< granted: the epoch of its subject, as Redis or PostgreSQL confirmed it
  role viewer = role::none;  ///< granted: the role of its owner
};

/// Checks whether a credential may still do the operation that it was admitted for. A record read before the epoch
/// `at_least` does not count; 0 accepts any. Never throws.
using permission_check = std::function<task<permission_state>(std::int64_t at_least)>;

/// Checks whether an admitted credential may still do the operation that it was admitted for; long-lived responses
/// repeat this check. The check takes the same decision as the gate, but counts in no window. Callers that ask about
/// a credential during a check of it share the next check. So all streams of one credential cost at most as much as
/// one stream. The pipeline owns the object, which belongs to one worker.
class reauthorization {
 public:
  reauthorization(authenticator& authenticator, admission& admission, fallback& fallback)
      : authenticator_(authenticator), admission_(admission), fallback_(fallback) {}

  /// Returns a check that may outlive the request. The check returns `unknown` when Redis does not confirm the known
  /// record and PostgreSQL does not answer. For a session `secret` is its record key.
  permission_check check_for(sha256_digest secret, http::operation const& op, uuid project,
                             std::shared_ptr<session_facts const> session = nullptr);

 private:
  /// The result of a check: the credential's record, or no credential (`withdrawn`), or no answer from either store
  /// (`unknown`).
  struct finding {
    permission_state::kind kind = permission_state::kind::unknown;
    record_ptr record{};
  };
  struct round;
  struct attempt;
  struct open_request {
    std::shared_ptr<round> next{};
    bool served = false;
    std::optional<presented_session> session{};
  };

  task<permission_state> check(sha256_digest secret, http::operation const* op, uuid project,
                               std::optional<presented_session> session, std::int64_t at_least);
  task<finding> ask(sha256_digest secret, std::optional<presented_session> session, std::int64_t at_least);
  task<> serve(sha256_digest secret);
  task<finding> find(sha256_digest secret, std::optional<presented_session> session, std::int64_t at_least);
  task<action> carry_out(attempt& a, action next);
  task<action> admit(attempt& a, action ask);
  bool good(token_record const& record, http::operation const& op, uuid project) const;

  authenticator& authenticator_;
  admission& admission_;
  fallback& fallback_;
  std::unordered_map<sha256_digest, open_request, digest_hash> asked_{};
};

}  // namespace svc::access
