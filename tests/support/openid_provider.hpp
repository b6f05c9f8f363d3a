#pragma once

#include "support/service.hpp"
#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>

namespace svc::test {

/// The npm package `oidc-provider` on https://127.0.0.1 with a certificate of its own, installed at the first use.
/// One client is registered: `svc` with the secret `client_secret`.
class openid_provider {
 public:
  struct options {
    std::string redirect_url{};
    std::string algorithm = "RS256";  ///< with which it signs ID tokens
    bool basic = true;                ///< false: the client's secret is in the body
  };
  static constexpr char const* client_secret = "s3 cret/+%";

  explicit openid_provider(options options);

  std::string issuer() const { return "https://127.0.0.1:" + std::to_string(port_); }
  throwaway_ca const& authority() const { return authority_; }
  std::string const& ca_file() const { return ca_file_; }
  /// Sets the person who signs in from now on: `sub` and the claims of the ID token.
  void use_account(boost::json::object const& account);
  /// From now on people decline.
  void decline() { use_account({{"sub", ""}}); }
  /// Ends the process; nothing listens on its port any more.
  void stop() { process_.reset(); }

 private:
  throwaway_ca authority_ = make_throwaway_ca("IP:127.0.0.1");
  temporary_directory files_;
  std::string ca_file_;
  int port_ = 0;
  std::unique_ptr<service> process_;
};

/// A browser at the provider: it follows redirects with its cookies, by curl, until an address starts with `until`.
class redirected_browser {
 public:
  explicit redirected_browser(std::string ca_file) : ca_file_(std::move(ca_file)) {}
  /// Returns that address; empty if a redirect is missing.
  std::string follow(std::string url, std::string const& until);

 private:
  std::string ca_file_;
  temporary_directory cookies_;
};

}  // namespace svc::test
