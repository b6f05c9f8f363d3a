#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/egress/failure.hpp"
#include "svc/egress/host.hpp"
#include "svc/egress/trust.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace svc::egress {

/// The operator's mail server.
struct mail_server {
  bool secure = false;  ///< smtps: TLS from the first byte (RFC 8314)
  host host{};
  std::uint16_t port = 587;

  /// `localhost`, 127.0.0.0/8 or ::1.
  bool is_loopback() const;
};

/// `smtp.url`: `smtp://host[:port]` (587) or `smtps://host[:port]` (465), with nothing behind it. Fails with
/// `validation_failed` and a sentence. Total.
result<mail_server> parse_mail_url(std::string_view text);

/// What becomes of a plain connection (RFC 3207).
enum class mail_tls : std::uint8_t {
  required,       ///< without STARTTLS nothing is sent
  opportunistic,  ///< STARTTLS if it is offered; a certificate that does not verify ends the attempt all the same
  off,
};

/// Immutable.
struct mail_settings {
  mail_server server{};
  std::string
      username{};  ///< empty: no AUTH; otherwise `opportunistic` is `required`, so that no password goes plain
  secret_string password{};
  std::string sender{};  ///< of the envelope: an address
  mail_tls tls = mail_tls::required;
};

/// What `smtp.tls` is when it is not set: `required`, or `off` if the server is on this machine, where mail servers
/// come with a certificate that does not verify.
mail_tls usual_tls(mail_server const& server);

struct mail {
  std::string recipient{};  ///< an address
  std::string content{};    ///< RFC 5322, with CR LF
};

/// What came of one transaction.
struct mail_answer {
  failure error = failure::internal;  ///< `none`: the server took it, or answered `status`
  int status = 0;                     ///< the SMTP reply that decided: 250, 4xx, 5xx; zero if none came
  bool in_session = false;            ///< it is said of this mail: greeting, TLS and AUTH were over
};

/// The result of a connection without a mail.
struct mail_trial {
  mail_answer answer{};  ///< `in_session`: greeting, EHLO, TLS and AUTH were over
  std::string reason{};  ///< libcurl's words if it failed; contains no secret
};

/// Connects to the operator's server as for a mail (EHLO, STARTTLS, AUTH), and sends none. Blocks until the deadline
/// at most. Throws `std::runtime_error` if libcurl cannot be set up.
mail_trial try_mail_server(std::shared_ptr<mail_settings const> settings, std::shared_ptr<trust_store const> trust,
                           deadline until);

/// Sends mails to the operator's server by libcurl, on threads of its own: libcurl waits inside of its call for the
/// reply to the end of a mail and to QUIT, also with the multi interface (lib/smtp.c, `smtp_done`), and a filter that
/// looks at a mail for ten seconds would hold up the event loop for as long. One for an instance is enough. Used by
/// one worker, destroyed before its `io_context`, which waits for the threads, a second at most; attempts that are
/// open then end as `cancelled` if the loop still runs.
///
/// One transaction on a connection of its own for each mail: libcurl 7.88 does not tell which of several recipients
/// was refused. The server's name is looked up as the machine does it (hosts file, search domains), and the guard is
/// not asked: the address is the operator's.
class mail_client {
 public:
  /// Throws `std::runtime_error` if libcurl cannot be set up.
  mail_client(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
              std::shared_ptr<trust_store const> trust);
  ~mail_client();
  mail_client(mail_client const&) = delete;
  mail_client& operator=(mail_client const&) = delete;

  /// Ends by the deadline, and throws nothing that the network or the mail causes. Can be cancelled as
  /// `http_client::fetch`.
  task<mail_answer> send(mail mail, deadline until);

  /// Any thread. How long the attempt that is most overdue goes on after its deadline; zero if none does.
  milliseconds overdue(steady::time_point now) const;

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
