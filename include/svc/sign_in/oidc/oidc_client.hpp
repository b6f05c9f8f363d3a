#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/identity.hpp"
#include "svc/sign_in/oidc/failure.hpp"
#include "svc/sign_in/oidc/flow.hpp"
#include "svc/sign_in/oidc/settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace svc {
class metrics;
}
namespace svc::egress {
class resolver;
class trust_store;
}  // namespace svc::egress

namespace svc::sign_in {

/// Returns the wall clock in seconds since 1970.
std::int64_t seconds_now();

/// Talks to the operator's identity providers. Its requests run on the notification thread, outside of
/// `http.deadline`, so that no thread that serves requests waits for a provider. Belongs to that thread, except for
/// the functions that say otherwise; it is destroyed after the thread's end, before the resolver and the loop.
///
/// Addresses of any network are allowed, because the operator chose the issuers; only the ranges where clouds keep
/// credentials stay closed. A provider's server must have a certificate that `trust` verifies, and no redirect is
/// followed.
class oidc_client {
 public:
  /// Concurrent requests to providers, of the instance and of one provider. The second number keeps a provider that
  /// hangs from stopping the sign-ins of others.
  static constexpr std::size_t most_requests = 16, most_of_provider = 8;
  static constexpr std::chrono::seconds request_limit{5};
  /// The longest time of one operation: discovery, keys and tokens.
  static constexpr std::chrono::seconds operation_limit{16};
  /// Lifetime of the metadata and keys of a provider; pause between two requests for keys because of a token whose
  /// key is unknown.
  static constexpr std::chrono::seconds document_age{3600}, key_pause{60};

  struct parts {
    asio::io_context& io;
    egress::resolver& names;
    std::shared_ptr<egress::trust_store const> trust{};
    std::shared_ptr<oidc_settings const> settings{};
    metrics& counters;
    std::function<std::int64_t()> now = seconds_now;
    std::function<steady::time_point()> steady_now = [] { return steady::now(); };
  };
  /// Throws `std::runtime_error` if libcurl cannot be set up.
  explicit oidc_client(parts instance);
  ~oidc_client();
  oidc_client(oidc_client const&) = delete;
  oidc_client& operator=(oidc_client const&) = delete;

  /// Immutable.
  oidc_settings const& settings() const;

  /// Thread-safe. Returns the address to which the browser goes. Fails with `unsupported` for an unknown provider.
  /// Throws `unavailable` if there is no answer before `operation_limit`, because the thread stops.
  task<oidc_result<std::string>> start(oidc_flow flow);

  /// Thread-safe. Checks the callback, exchanges its code and verifies the ID token. `query` has decoded names and
  /// values. Throws as `start` does.
  task<oidc_result<identity>> finish(oidc_flow flow, std::vector<std::pair<std::string, std::string>> query);

 private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

}  // namespace svc::sign_in
