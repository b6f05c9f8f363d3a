#pragma once

#include "integration/store/acme.hpp"
#include "support/mail_servers.hpp"
#include "svc/domain/token.hpp"
#include "svc/monitoring/notifications/system_mailer.hpp"
#include "svc/store/accounts/sign_in_store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace svc::test {

using notifications::recovery_queue;
using notifications::system_mailer;

/// Returns a client of the mail server at this port of the loopback.
inline std::unique_ptr<egress::mail_client> make_mail_client(asio::io_context& io, int port) {
  return std::make_unique<egress::mail_client>(
      io,
      std::make_shared<egress::mail_settings const>(
          egress::mail_settings{.server = egress::parse_mail_url("smtp://127.0.0.1:" + std::to_string(port)).value(),
                                .sender = "svc@svc.example",
                                .tls = egress::mail_tls::off}),
      std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{""}));
}

/// The organisation with a mailer, whose sender each test chooses. Outlives the mailer.
struct system_mailing : acme {
  /// Sends to the mail server at this port of the loopback.
  void use_server(int port) {
    client = make_mail_client(io, port);
    send = [this](egress::mail mail, deadline until) { return client->send(std::move(mail), until); };
  }

  system_mailer::parts parts() {
    return {.io = io,
            .db = pool,
            .send = send,
            .sender = "Service <svc@svc.example>",
            .public_url = public_url,
            .recoveries = recoveries,
            .counters = counters,
            .loops = {loops, io, "delivery", [] { return true; }}};
  }
  /// Runs a look, and everything that follows from it at once.
  void pass(system_mailer& mailer) {
    wait(mailer.look());
    wait(mailer.emptied(soon()));
  }
  void make_user(std::string const& email) {
    wait(directory.create_user(email, "Ada Lovelace", actor, soon())).value();
  }
  void ask_for(std::string const& email) { CHECK(recoveries.push({.email = email, .origin = {.ip = "192.0.2.1"}})); }

  /// The first column of the only row.
  std::string word(std::string const& sql) {
    auto const found = must({{"word_" + std::to_string(std::hash<std::string>()(sql)), sql}});
    return found.empty() ? std::string() : std::string(found.front().text(0));
  }
  std::string mail_state() {
    return word(
        "SELECT state || ' ' || attempt || ' ' || coalesce(reason, '-') FROM system_mails ORDER BY id DESC LIMIT 1");
  }
  std::int64_t secrets() {
    return number({{"mailed_secrets", "SELECT count(*) FROM one_time_secrets WHERE mailed"}});
  }
  void later(std::string const& time) const {
    as_owner("UPDATE system_mails SET due_at = due_at - interval '" + time + "' WHERE due_at IS NOT NULL");
  }
  bool opens(std::string const& secret) {
    auto const digest = read_link_secret(secret);
    return digest && wait(sign_ins.preview_link(*digest, soon())).has_value();
  }
  /// Invites the address into a new organisation of Ada's.
  void invite_elsewhere(std::string const& email, int number) {
    auto const slug = "elsewhere-" + std::to_string(number);
    auto const place = wait(directory.create_organization(slug, slug, actor, soon())).value();
    CHECK(wait(directory.set_organization_role(place, ada, "org_owner", actor, soon())).outcome.has_value());
    invite(email, place);
  }
  uuid invite(std::string const& email) { return invite(email, organization); }
  uuid invite(std::string const& email, uuid place) {
    auto const id = uuid::generate_v7();
    must({{"mailing_invite", R"(
INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)
VALUES ($1, $2, $3, 'org_member', $4, clock_timestamp() + interval '7 days'))"},
          postgres::parameters(id, place, email, ada)});
    must({{"mailing_invite_mail", R"(
INSERT INTO system_mails (id, kind, recipient, invitation_id) VALUES ($1, 'invitation', $2, $3))"},
          postgres::parameters(uuid::generate_v7(), email, id)});
    return id;
  }

  std::string public_url = "https://svc.example";
  recovery_queue recoveries{};
  metrics counters{};
  background_loops loops{counters};
  std::unique_ptr<egress::mail_client> client{};
  std::function<task<egress::mail_answer>(egress::mail, deadline)> send{};
  store::sign_in_store sign_ins{pool};
};

/// Returns the secret of the link in a mail.
inline std::string secret_in(std::string const& text, std::string const& page) {
  auto const start = text.find(page + "#");
  if (start == std::string::npos) return {};
  auto const secret = start + page.size() + 1;
  return text.substr(secret, text.find_first_of(" \r\n", secret) - secret);
}

inline std::string text_of_mail(boost::json::value const& mail) {
  return std::string(mail.at("text").as_string());
}

}  // namespace svc::test
