// Mails of the service itself: requests, answers of mail servers, and the ends of mails.
#include "system_mail_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a request for recovery becomes a mail whose link opens the account, and no row has its secret") {
  system_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  db.make_user("Ada@Mail.test");
  system_mailer mailer(db.parts());
  db.ask_for("ada@mail.test");
  db.pass(mailer);
  auto const mails = sink.mails();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].at("defects").as_array().empty());
  CHECK(mails[0].at_pointer("/recipients/0").as_string() == "Ada@Mail.test");
  CHECK(mails[0].at_pointer("/headers/subject").as_string() == "Recover your account");
  auto const secret = secret_in(text_of_mail(mails[0]), "https://svc.example/app/link");
  REQUIRE_FALSE(secret.empty());
  CHECK(db.opens(secret));
  CHECK(db.mail_state() == "sent 1 -");
  CHECK(db.word("SELECT kind || ' ' || round(extract(epoch FROM expires_at - now()) / 60) FROM links") ==
        "recovery 60");
  CHECK(db.audit_rows("link.created") == 1);
  CHECK(
      db.word("SELECT string_agg(m::text || s::text || l::text, '') FROM system_mails m, one_time_secrets s, links l")
          .find(secret) == std::string::npos);
  CHECK(db.counters.expose().find(R"(svc_system_mails_total{kind="recovery",outcome="sent"} 1)") !=
        std::string::npos);
}

TEST_CASE("nothing is created for an unknown address, a banned user or one whom an identity provider manages") {
  system_mailing db;
  db.make_user("banned@mail.test");
  db.make_user("managed@mail.test");
  db.as_owner(
      "UPDATE users SET disabled_at = now() WHERE email = 'banned@mail.test';"
      "INSERT INTO identities (user_id, provider, issuer, subject, email)"
      " SELECT id, 'corp', 'https://id.example', 'm', email FROM users WHERE email = 'managed@mail.test'");
  system_mailer mailer(db.parts());
  for (auto const* email : {"nobody@mail.test", "banned@mail.test", "managed@mail.test"}) db.ask_for(email);
  db.pass(mailer);
  CHECK(db.recoveries.size() == 0);
  CHECK(db.word("SELECT count(*)::text FROM links") == "0");
  CHECK(db.word("SELECT count(*)::text FROM system_mails") == "0");
  CHECK(db.audit_rows("link.created") == 0);
}

TEST_CASE(
    "a request waits while PostgreSQL is away, and a mail for an instance with a mail server, until its link ends") {
  system_mailing db;
  db.make_user("ada@mail.test");
  postgres::pool nobody(db.io, {.url = secret_string("postgresql://svc@127.0.0.1:1/svc"), .size = 1});
  nobody.start();
  auto parts = db.parts();
  system_mailer away({.io = db.io,
                      .db = nobody,
                      .send = {},
                      .sender = parts.sender,
                      .public_url = db.public_url,
                      .recoveries = db.recoveries,
                      .counters = db.counters,
                      .loops = parts.loops});
  db.ask_for("ada@mail.test");
  CHECK_THROWS_AS(db.wait(away.look()), unavailable);
  CHECK(db.recoveries.size() == 1);
  nobody.stop();
  system_mailer mailer(std::move(parts));
  db.pass(mailer);
  CHECK(db.recoveries.size() == 0);
  CHECK(db.mail_state() == "waiting 0 -");
  mail_sink const sink;
  db.use_server(sink.port());
  system_mailer other(db.parts());
  db.pass(other);
  CHECK(db.mail_state() == "sent 1 -");
  db.invite("new@mail.test");
  db.pass(mailer);
  CHECK(db.mail_state() == "waiting 0 -");
  db.as_owner("UPDATE invitations SET expires_at = now() - interval '1 s'");
  db.pass(mailer);
  CHECK(db.mail_state() == "failed 0 expired");
}

TEST_CASE("replies of a server: 4xx and a lost reply are retried with a new secret, 5xx ends the mail") {
  struct {
    char const* recipient;
    char const* state;
  } const table[] = {
      {"later@mail.test", "waiting 1 refused"},       {"busy@mail.test", "waiting 1 refused"},
      {"drop@mail.test", "waiting 1 connect_failed"}, {"never@mail.test", "failed 1 rejected"},
      {"kein\u00e4@mail.test", "failed 1 rejected"},
  };
  mail_sink const sink;
  for (auto const& row : table) {
    CAPTURE(row.recipient);
    system_mailing db;
    db.use_server(sink.port());
    db.make_user(row.recipient);
    system_mailer mailer(db.parts());
    db.ask_for(row.recipient);
    db.pass(mailer);
    CHECK(db.mail_state() == row.state);
    bool const ended = std::string_view(row.state).starts_with("failed");
    db.pass(mailer);
    CHECK(db.secrets() == 1);  // never before its time
    db.later("7 s");
    db.pass(mailer);
    CHECK(db.secrets() == (ended ? 1 : 2));
    CHECK(db.word("SELECT attempt::text FROM system_mails") == (ended ? "1" : "2"));
  }
  CHECK(sink.mails().empty());
}

TEST_CASE("both mails of an attempt with an unknown outcome and of its retry open the account") {
  system_mailing db;
  db.make_user("ada@mail.test");
  std::vector<std::string> secrets;
  bool reply_is_lost = true;
  db.send = [&](egress::mail mail, deadline) -> task<egress::mail_answer> {
    auto text = mail.content;
    for (auto fold = text.find("=\r\n"); fold != std::string::npos; fold = text.find("=\r\n")) text.erase(fold, 3);
    secrets.push_back(secret_in(text, "/app/link"));
    if (std::exchange(reply_is_lost, false)) co_return egress::mail_answer{.error = egress::failure::connect_reset};
    co_return egress::mail_answer{.error = egress::failure::none, .status = 250, .in_session = true};
  };
  system_mailer mailer(db.parts());
  db.ask_for("ada@mail.test");
  db.pass(mailer);
  CHECK(db.mail_state() == "waiting 1 connect_failed");
  db.later("7 s");
  db.pass(mailer);
  CHECK(db.mail_state() == "sent 2 -");
  REQUIRE(secrets.size() == 2);
  CHECK(secrets[0] != secrets[1]);
  CHECK(db.opens(secrets[0]));
  CHECK(db.opens(secrets[1]));
}

TEST_CASE("after ten attempts a mail has failed, within the bound of secrets") {
  system_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  db.invite("later@mail.test");
  system_mailer mailer(db.parts());
  for (int i = 1; i <= 10; ++i) {
    CHECK(db.word("SELECT state FROM system_mails") == "waiting");
    db.pass(mailer);
    db.later("5 hours");
  }
  CHECK(db.mail_state() == "failed 10 refused");
  CHECK(db.secrets() == 10);
}

TEST_CASE("a mail ends with its link or invitation, and is never due after its end") {
  struct {
    char const* change;
    char const* state;
    char const* outcome;
  } const table[] = {
      {"UPDATE invitations SET expires_at = now() - interval '1 s'", "failed 1 expired", "failed"},
      {"UPDATE invitations SET revoked_at = now()", "failed 1 link_over", "over"},
      {"UPDATE invitations SET accepted_at = now(), accepted_by = invited_by", "failed 1 link_over", "over"},
      {"UPDATE organization_members SET role = 'org_member'", "failed 1 link_over", "over"},
  };
  mail_sink const sink;
  for (auto const& row : table) {
    CAPTURE(row.change);
    system_mailing db;
    db.use_server(sink.port());
    db.invite("later@mail.test");
    db.as_owner("UPDATE invitations SET expires_at = now() + interval '3 s'");
    system_mailer mailer(db.parts());
    db.pass(mailer);
    CHECK(db.mail_state() == "waiting 1 refused");
    CHECK(db.word("SELECT (m.due_at <= i.expires_at)::text FROM system_mails m, invitations i") == "true");
    db.as_owner(row.change);
    db.later("7 s");
    db.pass(mailer);
    CHECK(db.mail_state() == row.state);
    CHECK(db.secrets() == 1);
    CHECK(db.counters.expose().find(R"(svc_system_mails_total{kind="invitation",outcome=")" +
                                    std::string(row.outcome) + "\"} 1") != std::string::npos);
  }
}

TEST_CASE("an invitation's mail opens the invitation, and the names in it add no link") {
  system_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  db.as_owner(
      "UPDATE organizations SET name = 'Visit https://evil.example/'; "
      "UPDATE users SET name = E'Ada\\r\\nBcc: all@evil.example' WHERE email LIKE 'ada%'");
  db.invite("new@mail.test");
  system_mailer mailer(db.parts());
  db.pass(mailer);
  auto const mails = sink.mails();
  REQUIRE(mails.size() == 1);
  auto const text = text_of_mail(mails[0]);
  CHECK(mails[0].at("recipients").as_array().size() == 1);
  CHECK_FALSE(mails[0].at("headers").as_object().contains("bcc"));
  CHECK(text.find("evil.example") == std::string::npos);
  auto const secret = secret_in(text, "https://svc.example/app/invitation");
  auto const digest = read_invitation_secret(secret);
  REQUIRE(digest.has_value());
  CHECK(db.number({{"mailed_invitation", "SELECT count(*) FROM one_time_secrets WHERE digest = $1 AND mailed"},
                   postgres::parameters(byte_view(*digest))}) == 1);
}
