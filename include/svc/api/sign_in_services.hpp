#pragma once

#include "svc/access/attempt_windows.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/session.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"
#include "svc/sign_in/password_hasher.hpp"
#include "svc/sign_in/sealed_cookies.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::notifications {
class recovery_queue;
}

namespace svc::api {

/// The means of sign-in besides the stores. Belongs to one worker.
struct sign_in_parts {
  sign_in::password_hasher* hasher = nullptr;  ///< shared by all workers; null: nobody signs in with a password
  access::attempt_windows windows;
  sign_in::cookie_sealer cookies;
  std::function<timestamp()> now;             ///< the database's time, as far as it is known
  sign_in::oidc_client& providers;            ///< shared by all workers
  bool sends_mail = false;                    ///< the operator has a mail server, `smtp.url`
  notifications::recovery_queue& recoveries;  ///< shared by all workers
};

/// The settings, means and counters of sign-in. Belongs to one worker.
class sign_in_services {
 public:
  sign_in_services(session_times times, sign_in_parts parts, metrics& counters);

  sign_in_parts& parts() { return parts_; }

  session_times const& times() const { return times_; }

  /// Returns true if an identity provider manages the address by its `domains`. Then no password is set for it, and
  /// none is accepted.
  bool manages_address(std::string_view email) const;

  /// Returns true if people recover their accounts by mail: the service sends mails and takes passwords.
  bool recovers() const { return parts_.sends_mail && parts_.hasher != nullptr; }

  /// The outcome of one attempt to sign in.
  enum class verdict : std::uint8_t { succeeded, failed, limited, refused };
  void count_sign_in(std::string_view method, verdict outcome);
  void count_end(std::string_view reason, std::size_t sessions = 1);

 private:
  session_times times_;
  sign_in_parts parts_;
  std::map<std::pair<std::string, verdict>, counter, std::less<>> sign_ins_;
  std::map<std::string, counter, std::less<>> ends_;
};

}  // namespace svc::api
