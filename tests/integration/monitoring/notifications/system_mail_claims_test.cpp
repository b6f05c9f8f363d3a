// Claims of the service's own mails: several instances, a process that is killed, OpenSMTPD, and the plan.
#include "system_mail_fixture.hpp"

#include "svc/core/failpoint.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

/// Looks once, and counts itself out however that ends.
task<> count_look(system_mailer& mailer, int& left) {
  struct leaving {
    int& left;
    ~leaving() { --left; }
  } const last{left};
  co_await mailer.look();
}

}  // namespace

TEST_CASE("four mails are under way at a time, and two instances send each mail once") {
  system_mailing db;
  for (int i = 0; i < 6; ++i) db.invite("n" + std::to_string(i) + "@mail.test");
  std::size_t sent = 0, most = 0;
  std::vector<std::unique_ptr<steady_timer>> held;
  db.send = [&](egress::mail, deadline) -> task<egress::mail_answer> {
    held.push_back(std::make_unique<steady_timer>(db.io, std::chrono::hours(1)));
    auto& mine = *held.back();
    most = std::max(most, held.size());
    ++sent;
    co_await mine.async_wait(awaiting);
    co_return egress::mail_answer{.error = egress::failure::none, .status = 250, .in_session = true};
  };
  system_mailer first(db.parts()), other(db.parts());
  db.wait(first.look());
  db.wait(first.look());
  CHECK(first.under_way() == system_mailer::most_under_way);
  db.wait(other.look());
  CHECK(other.under_way() == 2);
  for (auto& each : held) each->cancel();
  db.wait(first.emptied(db.soon()));
  db.wait(other.emptied(db.soon()));
  CHECK(sent == 6);
  CHECK(most == 6);
  CHECK(db.word("SELECT count(*)::text FROM system_mails WHERE state = 'sent' AND attempt = 1") == "6");
}

TEST_CASE("the budgets of an address are five mails in any hour and 20 in any day") {
  std::int64_t hour = 0, day = 0;
  for (auto const& each : store::system_mail_budgets) {
    hour += each.at_once + std::chrono::hours(1) / each.pause;
    day += each.at_once + std::chrono::hours(24) / each.pause;
  }
  CHECK(hour == 5);
  CHECK(day == 20);
}

TEST_CASE("an address takes two invitations at once and one more after each pause, however many instances send") {
  system_mailing db;
  for (int i = 0; i < 12; ++i) db.invite_elsewhere(i % 2 == 0 ? "Vic@mail.test" : "vic@mail.test", i);
  db.invite("other@mail.test");
  std::vector<std::string> sent;
  db.send = [&](egress::mail mail, deadline) -> task<egress::mail_answer> {
    sent.push_back(mail.recipient);
    co_return egress::mail_answer{.error = egress::failure::none, .status = 250, .in_session = true};
  };
  system_mailer mailers[]{system_mailer(db.parts()), system_mailer(db.parts()), system_mailer(db.parts()),
                          system_mailer(db.parts())};
  auto const look_at_once = [&] {
    int left = 4;
    for (auto& each : mailers) asio::co_spawn(db.io, count_look(each, left), asio::detached);
    db.io.restart();
    while (left > 0 && db.io.run_one() > 0) {
    }
    for (auto& each : mailers) db.pass(each);
  };
  auto const mails_of_vic = [&] {
    return sent.size() - static_cast<std::size_t>(std::ranges::count(sent, "other@mail.test"));
  };
  look_at_once();
  CHECK(mails_of_vic() == 2);
  CHECK(sent.size() == 3);
  CHECK(db.secrets() == 3);
  CHECK(db.word("SELECT count(*)::text FROM system_mails WHERE state = 'waiting' AND attempt = 0"
                " AND reason = 'too_many_mails' AND due_at > now() + interval '230 min'") == "10");
  CHECK(db.counters.expose().find(R"(svc_system_mails_total{kind="invitation",outcome="limited"} 10)") !=
        std::string::npos);
  CHECK(db.word("SELECT count(*)::text FROM system_mail_budgets") == "2");

  // Revoked invitations and renewals take their mails with them, and give nothing back.
  db.as_owner("DELETE FROM system_mails WHERE state = 'sent'");
  for (std::size_t more = 1; more <= 2; ++more) {
    db.as_owner("UPDATE system_mail_budgets SET full_at = full_at - interval '240 min'");
    db.later("240 min");
    look_at_once();
    CHECK(mails_of_vic() == 2 + more);
  }

  // A mail whose invitation ends meanwhile is no failure of the mail server.
  db.as_owner("UPDATE invitations SET expires_at = now() WHERE email ILIKE 'vic%'");
  db.later("8 hours");
  look_at_once();
  CHECK(mails_of_vic() == 4);
  CHECK(db.word("SELECT count(*)::text FROM system_mails WHERE state = 'failed' AND reason = 'too_many_mails'") ==
        "8");
  CHECK(db.counters.expose().find(R"(svc_system_mails_total{kind="invitation",outcome="failed"} 0)") !=
        std::string::npos);
}

TEST_CASE(
    "an address takes three mails of recovery at once, whatever else is mailed to it; further requests make no "
    "link") {
  system_mailing db;
  db.make_user("ada@mail.test");
  for (int i = 0; i < 3; ++i) db.invite_elsewhere("ada@mail.test", i);
  std::size_t recoveries = 0;
  db.send = [&](egress::mail mail, deadline) -> task<egress::mail_answer> {
    recoveries += mail.content.find("Recover your account") != std::string::npos ? 1 : 0;
    co_return egress::mail_answer{.error = egress::failure::none, .status = 250, .in_session = true};
  };
  system_mailer mailer(db.parts());
  db.pass(mailer);
  for (int i = 0; i < 3; ++i) {
    db.ask_for("ada@mail.test");
    db.pass(mailer);
  }
  CHECK(recoveries == 3);
  CHECK(db.word("SELECT count(*)::text FROM links") == "3");
  db.ask_for("ada@mail.test");
  db.pass(mailer);
  CHECK(recoveries == 3);
  CHECK(db.word("SELECT count(*)::text FROM links") == "3");
  CHECK(db.counters.expose().find(R"(svc_system_mails_total{kind="recovery",outcome="limited"} 1)") !=
        std::string::npos);
  db.as_owner("UPDATE system_mail_budgets SET full_at = full_at - interval '160 min'");
  db.ask_for("ada@mail.test");
  db.pass(mailer);
  CHECK(recoveries == 4);
}

TEST_CASE("a process that dies between the claim and the mail, or after it, delays the mail by its lease") {
  struct {
    char const* point;
    std::size_t sent_before;
  } const table[] = {{"system_mail.claimed", 0}, {"system_mail.attempted", 1}};
  for (auto const& row : table) {
    CAPTURE(row.point);
    system_mailing db;
    mail_sink const sink;
    db.invite("new@mail.test");
    if (auto const child = ::fork(); child == 0) {
      failpoint::configure(std::string(row.point) + "=exit");
      asio::io_context io{1};
      postgres::pool pool(io, {.url = secret_string(db.url()), .size = 2});
      pool.start();
      auto const client = make_mail_client(io, sink.port());
      system_mailer mailer(
          {.io = io,
           .db = pool,
           .send = [&](egress::mail mail, deadline until) { return client->send(std::move(mail), until); },
           .sender = "svc@svc.example",
           .public_url = db.public_url,
           .recoveries = db.recoveries,
           .counters = db.counters,
           .loops = {db.loops, io, "delivery", [] { return true; }}});
      asio::co_spawn(io, mailer.look(), asio::detached);
      io.run();
      ::_exit(0);
    } else {
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(WIFEXITED(status));
      REQUIRE(WEXITSTATUS(status) == 137);
    }
    CHECK(sink.mails().size() == row.sent_before);
    CHECK(db.mail_state() == "sending 1 -");
    CHECK(db.secrets() == 1);
    db.use_server(sink.port());
    system_mailer mailer(db.parts());
    db.pass(mailer);
    CHECK(db.mail_state() == "sending 1 -");
    db.later("61 s");
    db.pass(mailer);
    CHECK(db.mail_state() == "sent 2 -");
    CHECK(db.secrets() == 2);
    auto const mails = sink.mails();
    REQUIRE(mails.size() == row.sent_before + 1);
    // Also the link of a mail whose sender died works.
    for (auto const& each : mails) {
      auto const digest = read_invitation_secret(secret_in(text_of_mail(each), "/app/invitation"));
      REQUIRE(digest.has_value());
      CHECK(db.number({{"known_secret", "SELECT count(*) FROM one_time_secrets WHERE digest = $1"},
                       postgres::parameters(byte_view(*digest))}) == 1);
    }
  }
}

TEST_CASE("an attempt does not start with a lease that may end before it") {
  system_mailing db;
  db.invite("new@mail.test");
  std::size_t sent = 0;
  db.send = [&](egress::mail, deadline) -> task<egress::mail_answer> {
    ++sent;
    co_return egress::mail_answer{.error = egress::failure::none, .status = 250, .in_session = true};
  };
  auto parts = db.parts();
  parts.clock = [] { return steady::now() + std::chrono::seconds(25); };
  system_mailer mailer(std::move(parts));
  db.pass(mailer);
  CHECK(sent == 0);
  CHECK(db.mail_state() == "sending 1 -");
}

TEST_CASE("OpenSMTPD takes a mail of the service, refuses one and asks for one again") {
  opensmtpd const server;
  if (!server.runs()) {
    MESSAGE("skipped: OpenSMTPD needs a namespace of mounts");
    return;
  }
  struct {
    char const* recipient;
    char const* state;
  } const table[] = {{"a@mail.test", "sent 1 -"},
                     {"never@mail.test", "failed 1 rejected"},
                     {"later@mail.test", "waiting 1 refused"}};
  for (auto const& row : table) {
    CAPTURE(row.recipient);
    system_mailing db;
    db.use_server(server.port());
    db.invite(row.recipient);
    system_mailer mailer(db.parts());
    db.pass(mailer);
    CHECK(db.mail_state() == row.state);
  }
  auto const delivered = server.delivered(1);
  REQUIRE(delivered.size() == 1);
  CHECK(delivered[0].find("Invitation to the organization") != std::string::npos);
}

TEST_CASE("due mails are found through their index, next to many that have ended or wait") {
  system_mailing db;
  db.as_owner(
      "INSERT INTO links (id, user_id, kind, expires_at) SELECT gen_random_uuid(), id, 'dev', now() + interval '1 "
      "day'"
      "  FROM users LIMIT 1;"
      "INSERT INTO system_mails (id, kind, recipient, link_id, state, due_at, ended_at)"
      " SELECT gen_random_uuid(), 'recovery', 'a@mail.test', l.id, 'sent', NULL, now() FROM links l, "
      "generate_series(1, 10000);"
      "INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)"
      " SELECT gen_random_uuid(), o.id, n || '@mail.test', 'org_member', u.id, now() + interval '7 days'"
      "  FROM generate_series(1, 150) n, (SELECT id FROM organizations LIMIT 1) o, (SELECT id FROM users LIMIT 1) u;"
      "INSERT INTO system_mails (id, kind, recipient, invitation_id, due_at)"
      " SELECT gen_random_uuid(), 'invitation', email, id, now() + interval '1 hour' FROM invitations;"
      "ANALYZE system_mails");
  auto const plan =
      db.must({{"plan_of_due_mails",
                "EXPLAIN SELECT m.id, m.link_id, m.invitation_id FROM system_mails m"
                " WHERE m.ended_at IS NULL AND m.due_at <= statement_timestamp() ORDER BY m.due_at LIMIT 4"}});
  std::string text;
  for (int i = 0; i < plan.size(); ++i) text += std::string(plan[i].text(0)) + "\n";
  CAPTURE(text);
  CHECK(text.find("system_mails_due") != std::string::npos);
}
