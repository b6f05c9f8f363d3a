#pragma once

#include <memory>
#include <string>
#include <string_view>

using SSL_SESSION = struct ssl_session_st;

namespace svc::test {

enum class tls_version { v1_2, v1_3 };

/// The result of one connection of a plain OpenSSL client.
struct tls_probe {
  bool answered = false;  ///< GET /livez got 200
  bool resumed = false;
  std::string alpn{};  ///< chosen by the server
  int tickets = 0;     ///< received
  int reason = 0;      ///< OpenSSL's reason for a failed handshake; for an alert SSL_AD_REASON_OFFSET + its number
  std::shared_ptr<SSL_SESSION> session{};  ///< from the newest ticket
};

/// Connects to `ADDRESS:PORT` (a leading https:// is ignored), resumes the session if there is one, and offers `alpn`
/// (in wire format: lengths before names). Trusts any certificate.
tls_probe probe_tls(std::string_view address, tls_version version, std::shared_ptr<SSL_SESSION> const& session = {},
                    std::string_view alpn = {});

}  // namespace svc::test
