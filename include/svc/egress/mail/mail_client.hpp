#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/watched_thread.hpp"
#include "svc/egress/failure.hpp"
#include "svc/egress/host.hpp"
#include "svc/egress/mail/mail_turns.hpp"
#include "svc/egress/trust.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::egress {

/// The operator's mail server.
struct mail_server {
  bool secure = false;  ///< true for smtps: TLS from the first byte (RFC 8314)
  host host{};
  std::uint16_t port = 587;

  /// True for `localhost`, 127.0.0.0/8 and ::1.
  bool is_loopback() const;
};

/// Parses `smtp.url`: `smtp://host[:port]` (587) or `smtps://host[:port]` (465), with nothing after it. Fails with
/// `validation_failed` and a sentence. Total.
result<mail_server> parse_mail_url(std::string_view text);

/// The policy for a plain connection (RFC 3207).
enum class mail_tls : std::uint8_t {
  required,       ///< no mail is sent without STARTTLS
  opportunistic,  ///< STARTTLS if the server offers it; a certificate that does not verify still ends the attempt
  off,
};

/// Immutable.
struct mail_settings {
  mail_server server{};
  std::string username{};  ///< empty: no AUTH; otherwise `opportunistic` becomes `required`, so that no password is
                           ///< sent in plain text
  secret_string password{};
  std::string sender{};  ///< envelope sender: an address
  mail_tls tls = mail_tls::required;
};

/// Returns the default of `smtp.tls`: `required`, or `off` if the server runs on this machine. Local mail servers
/// usually have a certificate that does not verify.
mail_tls usual_tls(mail_server const& server);

struct mail {
  std::string recipient{};  ///< an address
  std::string content{};    ///< RFC 5322, with CR LF
  uuid project{};           ///< the project that `overdue` reports
};

/// The outcome of one transaction.
struct mail_answer {
  failure error = failure::internal;  ///< `none`: the server accepted the mail, or answered `status`
  int status = 0;                     ///< the decisive SMTP reply: 250, 4xx, 5xx; zero if no reply arrived
  bool in_session = false;            ///< true: greeting, TLS and AUTH were done, so the reply concerns this mail
};

/// The result of a connection without a mail.
struct mail_trial {
  mail_answer answer{};  ///< `in_session`: greeting, EHLO, TLS and AUTH were done
  std::string reason{};  ///< libcurl's words if it failed; contains no secret
};

/// Connects to the operator's server as for a mail (EHLO, STARTTLS, AUTH), but sends none. Blocks at most until the
/// deadline. Throws `std::runtime_error` if libcurl cannot be set up.
mail_trial try_mail_server(std::shared_ptr<mail_settings const> settings, std::shared_ptr<trust_store const> trust,
                           deadline until);

/// The queue in which a client's mails wait for their turns. `turns` outlives the client.
struct mail_queue {
  mail_turns& turns;
  mail_lane lane;
};

/// Sends mails to the operator's server with libcurl, on its own threads. libcurl blocks inside its call until the
/// reply to the end of a mail and to QUIT, even with the multi interface (lib/smtp.c, `smtp_done`). A filter that
/// inspects a mail for ten seconds would block the event loop for ten seconds. The client is used by one worker and
/// destroyed before the worker's `io_context`. The destructor waits for the threads: at most one second, or without
/// end if a thread is stuck. Attempts that are open then end as `cancelled` if the loop still runs.
///
/// Each mail uses one transaction on its own connection, because libcurl 7.88 does not report which of
/// several recipients was refused. The system resolver looks up the server's name (hosts file, search
/// domains). The address policy does not apply, because the operator chose the address.
class mail_client {
 public:
  /// Throws `std::runtime_error` if libcurl cannot be set up.
  /// `threads` is the number of mails that it sends at the same time; further ones wait.
  mail_client(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
              std::shared_ptr<trust_store const> trust, std::size_t threads = 8,
              std::optional<mail_queue> queue = {});
  ~mail_client();
  mail_client(mail_client const&) = delete;
  mail_client& operator=(mail_client const&) = delete;

  /// Waits for the mail's turn if the client has a queue. Ends by the deadline. Does not throw because of the network
  /// or the mail. Can be cancelled like `http_client::fetch`.
  task<mail_answer> send(mail mail, deadline until);

  /// Thread-safe. Returns the most overdue attempt.
  overdue_attempt overdue(steady::time_point now) const;

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
