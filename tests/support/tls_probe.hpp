#pragma once

#include <memory>
#include <string>
#include <string_view>

using SSL_SESSION = struct ssl_session_st;

namespace svc::test {

enum class tls_version { v1_2, v1_3 };

/// What one connection of a plain OpenSSL client met.
struct tls_probe {
  bool answered = false;  ///< GET /livez got 200
  bool resumed = false;
  std::string alpn{};  ///< what the server chose
  int tickets = 0;     ///< that came
  int reason = 0;      ///< OpenSSL's, of a failed handshake; an alert is SSL_AD_REASON_OFFSET + its number
  std::shared_ptr<SSL_SESSION> session{};  ///< of the newest ticket
};

/// Connects to `ADDRESS:PORT` (https:// before it is left out), with a session to resume if there is one, offering
/// `alpn` (in the wire's form, lengths before names); trusts anybody.
tls_probe probe_tls(std::string_view address, tls_version version, std::shared_ptr<SSL_SESSION> const& session = {},
                    std::string_view alpn = {});

}  // namespace svc::test
