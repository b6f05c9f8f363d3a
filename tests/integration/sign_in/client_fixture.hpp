#pragma once

#include "integration/egress/http_server.hpp"
#include "support/run_task.hpp"
#include "support/temporary_directory.hpp"
#include "svc/core/metrics.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/trust.hpp"
#include "svc/http/target.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

using callback_query = std::vector<std::pair<std::string, std::string>>;

/// The client of one provider with the id `corp`, on a loop that the test runs. The clocks are the test's.
class client_place {
 public:
  client_place(std::string const& authority, sign_in::oidc_provider provider)
      : trust_(std::make_shared<egress::trust_store const>(
            std::initializer_list<std::string>{files_.write("ca.pem", authority)})),
        names_(io_, {}),
        client_(sign_in::oidc_client::parts{.io = io_,
                                            .names = names_,
                                            .trust = trust_,
                                            .settings = settings_with(std::move(provider)),
                                            .counters = counters_,
                                            .now = [this] { return sign_in::seconds_now() + later.count(); },
                                            .steady_now = [this] { return steady::now() + later; }}) {}

  static sign_in::oidc_provider usual_provider(std::string issuer, std::string secret) {
    return {.id = "corp",
            .name = "Corporate login",
            .issuer = std::move(issuer),
            .client_id = "svc",
            .client_secret = secret_string(std::move(secret)),
            .scopes = {"openid", "email", "profile", "groups"},
            .groups_claim = "groups"};
  }
  static std::string redirect_url() { return "https://svc.example.com/dashboard/v1/sign-in/oidc/corp/callback"; }

  sign_in::oidc_flow flow() const {
    return sign_in::new_flow("corp", "/app/", sign_in::seconds_now() + later.count());
  }
  sign_in::oidc_result<std::string> start(sign_in::oidc_flow const& flow) {
    return run_task(io_, client_.start(flow));
  }
  sign_in::oidc_result<identity> finish(sign_in::oidc_flow const& flow, callback_query query) {
    return run_task(io_, client_.finish(flow, std::move(query)));
  }
  /// "ok", or the name of the failure.
  std::string outcome(sign_in::oidc_flow const& flow, callback_query query) {
    auto const person = finish(flow, std::move(query));
    return person ? "ok" : std::string(to_string(person.error().failure));
  }
  asio::io_context& io() { return io_; }
  sign_in::oidc_client& client() { return client_; }
  std::string metrics_page() const { return counters_.expose(); }

  std::chrono::seconds later{0};  ///< how far both clocks are ahead

 private:
  static std::shared_ptr<sign_in::oidc_settings const> settings_with(sign_in::oidc_provider provider) {
    auto out = std::make_shared<sign_in::oidc_settings>();
    out->public_url = "https://svc.example.com";
    out->providers.push_back(std::move(provider));
    return out;
  }

  temporary_directory files_;
  asio::io_context io_{1};
  std::shared_ptr<egress::trust_store const> trust_;
  metrics counters_;
  egress::resolver names_;
  sign_in::oidc_client client_;
};

/// The decoded query of an address.
inline callback_query query_of(std::string const& url) {
  auto const path = url.find('/', url.find("//") + 2);
  return http::parse_target(url.substr(path), "svc.example.com", "GET").value().query;
}

inline std::string value_in(callback_query const& query, std::string const& name) {
  for (auto const& [each, value] : query)
    if (each == name) return value;
  return {};
}

}  // namespace svc::test
