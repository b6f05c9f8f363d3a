#pragma once

#include <memory>
#include <string>
#include <string_view>

using EVP_PKEY = struct evp_pkey_st;

namespace svc::test {

/// A private key that signs tokens only by OpenSSL, so that tests do not check libcjose by libcjose.
class signing_key {
 public:
  static signing_key rsa(unsigned bits = 2048);
  /// `curve`: OpenSSL's name, such as "P-256".
  static signing_key elliptic(char const* curve = "P-256");

  /// The public key as a JSON object (RFC 7517) with these further members, each written as `"name":value,`.
  std::string jwk(std::string_view members = {}) const;
  /// The public key in PEM, which a forger may use as the secret of an HMAC.
  std::string pem() const;
  /// A JWS in compact form. `algorithm` is the one that really signs: RS256, RS512, PS256, ES256, HS256 (with
  /// `secret`) or none. The header may name another one.
  std::string sign(std::string_view algorithm, std::string_view header, std::string_view payload,
                   std::string_view secret = {}) const;

 private:
  explicit signing_key(EVP_PKEY* key);
  std::string signature(std::string_view algorithm, std::string const& content) const;

  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace svc::test
