#pragma once

#include <chrono>
#include <string>

namespace svc::test {

/// A certificate authority for one test, and a server certificate issued by it. PEM texts.
struct throwaway_ca {
  std::string authority;    ///< what clients trust
  std::string certificate;  ///< of the server
  std::string key;          ///< of the server
};

/// `names`: the server's subjectAltName in OpenSSL's syntax, such as "DNS:localhost,IP:127.0.0.1". `ends_in`: the
/// time until the server's certificate expires; negative: it has expired. `begins_in`: the time until its validity
/// begins.
throwaway_ca make_throwaway_ca(std::string const& names, std::chrono::seconds ends_in = std::chrono::hours(24),
                               std::chrono::seconds begins_in = -std::chrono::hours(1));

/// A self-signed server certificate; `authority` is the same certificate.
throwaway_ca make_self_signed(std::string const& names);

}  // namespace svc::test
