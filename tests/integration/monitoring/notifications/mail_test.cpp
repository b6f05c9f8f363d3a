#include "integration/monitoring/notifications/fixture.hpp"
#include "support/comes_true.hpp"
#include "support/mail_servers.hpp"
#include "svc/core/failpoint.hpp"

#include <boost/asio/detached.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

using namespace svc;
using namespace svc::notifications;

namespace {

throwaway_ca const& mail_authority() {
  static auto const ca = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
  return ca;
}

mail_settings to_server(int port, mail_tls tls = mail_tls::off) {
  return {.server = parse_mail_url("smtp://127.0.0.1:" + std::to_string(port)).value(),
          .sender = "alerts@svc.example",
          .tls = tls};
}

mail_settings with_login(mail_settings settings, char const* password = "hunter2") {
  settings.username = "svc";
  settings.password = secret_string(password);
  return settings;
}

email_config mails_to(std::vector<std::string> all) {
  return {std::move(all)};
}

message one_failure(std::string name = "shop") {
  return message_of({failure_of_monitor(1, std::move(name))});
}

std::string text_at(boost::json::value const& value, std::string_view pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

/// Measures the longest gap between two turns of the loop, with a timer of 10 ms.
task<> watch_turns(asio::io_context& io, milliseconds& longest, std::atomic<bool> const& over) {
  steady_timer timer(io);
  for (auto last = steady::now(); !over;) {
    timer.expires_after(10ms);
    co_await timer.async_wait(awaiting);
    auto const now = steady::now();
    longest = std::max(longest, std::chrono::duration_cast<milliseconds>(now - last));
    last = now;
  }
}

}  // namespace

TEST_CASE(
    "a mail over STARTTLS with AUTH: both parts, umlauts, thread, ids, and names that change nothing but text") {
  mail_sink const sink({.tls = &mail_authority(), .auth = "svc:hunter2"});
  sending_fixture fixture(mail_authority(), with_login(to_server(sink.port(), mail_tls::required)));
  auto const name = "Größe \u4e2d\U0001F600 " + hostile_name;
  auto failure = failure_of_monitor(1, name);
  failure.custom_message = "Bitte den Wächter rufen.\n.\nZweite Zeile";
  auto const message = message_of({failure});
  auto const came = fixture.send(mails_to({"ops@mail.test"}), message);
  CHECK(came.came == outcome{.state = fate::taken, .cause = reason::delivered, .status = 250});
  REQUIRE(came.settled.size() == 1);
  CHECK(came.settled[0].taken);

  auto const mails = sink.mails();
  REQUIRE(mails.size() == 1);
  auto const& mail = mails[0];
  CHECK(mail.at("defects").as_array().empty());
  CHECK(mail.at("tls") == boost::json::value(true));
  CHECK(mail.at("login") == boost::json::value(true));
  CHECK(text_at(mail, "/sender") == "alerts@svc.example");
  CHECK(text_at(mail, "/recipients/0") == "ops@mail.test");
  CHECK(text_at(mail, "/headers/from") == "Wächter <alerts@svc.example>");
  CHECK(text_at(mail, "/headers/to") == "ops@mail.test");
  CHECK(text_at(mail, "/headers/subject").starts_with("[DOWN] Größe \u4e2d\U0001F600 <!channel> @everyone"));
  CHECK(text_at(mail, "/headers/message-id") == "<" + message.id.to_string() + "@svc.example>");
  CHECK(text_at(mail, "/headers/references") == "<thread." + failure.thread.to_string() + "@svc.example>");
  CHECK(text_at(mail, "/headers/auto-submitted") == "auto-generated");
  CHECK_FALSE(mail.at("headers").as_object().contains("bcc"));
  auto const text = text_at(mail, "/text"), html = text_at(mail, "/html");
  CHECK(text.find("Bitte den Wächter rufen.\n.\nZweite Zeile\n") != std::string::npos);
  CHECK(text.find("the connection was refused (connect_refused)") != std::string::npos);
  CHECK(html.find("<!channel>") == std::string::npos);
  CHECK(html.find("&lt;!channel&gt;") != std::string::npos);
}

TEST_CASE("where a certificate does not verify, STARTTLS is missing or a login is wrong, nothing is sent") {
  auto const foreign = make_self_signed("DNS:localhost,IP:127.0.0.1");
  auto const other = make_throwaway_ca("DNS:elsewhere.test");
  mail_sink const untrusted({.tls = &foreign, .auth = "svc:hunter2"}), smtps({.tls = &foreign, .smtps = true}), plain,
      guarded({.tls = &mail_authority(), .auth = "svc:hunter2"});
  struct {
    char const* name;
    mail_sink const& sink;
    mail_settings settings;
    reason reason;
  } const table[] = {
      {"foreign certificate", untrusted, with_login(to_server(untrusted.port(), mail_tls::required)),
       reason::tls_failed},
      {"foreign certificate, opportunistic", untrusted, to_server(untrusted.port(), mail_tls::opportunistic),
       reason::tls_failed},
      {"foreign certificate over smtps",
       smtps,
       {.server = parse_mail_url("smtps://127.0.0.1:" + std::to_string(smtps.port())).value(),
        .sender = "a@svc.example"},
       reason::tls_failed},
      {"no STARTTLS", plain, to_server(plain.port(), mail_tls::required), reason::tls_failed},
      {"no STARTTLS, and a password", plain, with_login(to_server(plain.port(), mail_tls::opportunistic)),
       reason::tls_failed},
      {"wrong password", guarded, with_login(to_server(guarded.port(), mail_tls::required), "wrong"),
       reason::auth_failed},
      {"no login", guarded, to_server(guarded.port(), mail_tls::required), reason::auth_failed},
  };
  for (auto const& row : table) {
    CAPTURE(row.name);
    sending_fixture fixture(mail_authority(), row.settings);
    auto const came = fixture.send(mails_to({"ops@mail.test"}), one_failure());
    CHECK(came.came.state == fate::retry);
    CHECK(name_of(came.came.cause) == name_of(row.reason));
    CHECK(came.settled.empty());
    CHECK(row.sink.mails().empty());
  }
}

TEST_CASE("TLS from the first byte, and no mail if the server has no TLS") {
  mail_sink const smtps({.tls = &mail_authority(), .smtps = true}), plain;
  sending_fixture over_tls(
      mail_authority(),
      mail_settings{.server = parse_mail_url("smtps://localhost:" + std::to_string(smtps.port())).value(),
                    .sender = "alerts@svc.example"});
  CHECK(over_tls.send(mails_to({"ops@mail.test"}), one_failure()).came.state == fate::taken);
  CHECK(smtps.mails().size() == 1);
  sending_fixture in_clear(mail_authority(), to_server(plain.port(), mail_tls::opportunistic));
  CHECK(in_clear.send(mails_to({"ops@mail.test"}), one_failure()).came.state == fate::taken);
  CHECK(plain.mails().at(0).at("tls") == boost::json::value(false));
}

TEST_CASE("recipients fare one by one: taken, refused for good, asked again later") {
  mail_sink const sink;
  sending_fixture fixture(mail_authority(), to_server(sink.port()));
  auto const all = mails_to({"a@mail.test", "never@mail.test", "later@mail.test"});
  auto const first = fixture.send(all, one_failure());
  CHECK(first.came == outcome{.state = fate::retry, .cause = reason::refused, .status = 451});
  REQUIRE(first.settled.size() == 2);
  CHECK(first.settled[0].address == "a@mail.test");
  CHECK(first.settled[0].taken);
  CHECK(first.settled[1].address == "never@mail.test");
  CHECK_FALSE(first.settled[1].taken);
  // The next attempt skips both.
  auto const second = fixture.send(all, one_failure(), first.settled, 2);
  CHECK(second.came.status == 451);
  CHECK(second.settled.empty());
  CHECK(sink.mails().size() == 1);
  // A refused recipient does not affect the others.
  CHECK(fixture.send(mails_to({"never@mail.test", "b@mail.test"}), one_failure()).came.state == fate::taken);
  auto const none = fixture.send(mails_to({"never@mail.test"}), one_failure());
  CHECK(none.came == outcome{.state = fate::dead, .cause = reason::rejected, .status = 550});
  CHECK(fixture.send(mails_to({"never@mail.test"}), one_failure(), {{"never@mail.test", false}}).came.state ==
        fate::dead);
  CHECK(sink.mails().size() == 2);
}

TEST_CASE("a connection that ends after DATA, and a server that disappears, are retried") {
  mail_sink const sink;
  sending_fixture fixture(mail_authority(), to_server(sink.port()));
  auto const dropped = fixture.send(mails_to({"drop@mail.test", "a@mail.test"}), one_failure());
  CHECK(dropped.came == outcome{.state = fate::retry, .cause = reason::connect_failed});
  REQUIRE(dropped.settled.size() == 1);
  CHECK(dropped.settled[0].address == "a@mail.test");
  CHECK(fixture.send(mails_to({"busy@mail.test"}), one_failure()).came ==
        outcome{.state = fate::retry, .cause = reason::refused, .status = 421});

  sending_fixture nobody(mail_authority(), to_server(1));
  CHECK(nobody.send(mails_to({"a@mail.test"}), one_failure()).came.cause == reason::connect_failed);
  sending_fixture unknown(mail_authority(), mail_settings{.server = parse_mail_url("smtp://unknown.invalid").value(),
                                                          .sender = "a@svc.example"});
  CHECK(unknown.send(mails_to({"a@mail.test"}), one_failure()).came.cause == reason::dns_failed);
  sending_fixture unconfigured(mail_authority());
  CHECK(unconfigured.send(mails_to({"a@mail.test"}), one_failure()).came ==
        outcome{.state = fate::dead, .cause = reason::smtp_unconfigured});
}

TEST_CASE("a server that is slow with its replies holds up neither the event loop nor a mail that it has taken") {
  mail_sink const sink;
  sending_fixture fixture(mail_authority(), to_server(sink.port()));
  milliseconds longest{0};
  std::atomic<bool> over = false;
  asio::co_spawn(fixture.spot.io, watch_turns(fixture.spot.io, longest, over), asio::detached);
  auto const begin = steady::now();
  CHECK(fixture.send(mails_to({"slow@mail.test"}), one_failure()).came.state == fate::taken);
  CHECK(steady::now() - begin >= 1s);
  auto const then = steady::now();
  CHECK(fixture.send(mails_to({"mute@mail.test"}), one_failure()).came.state == fate::taken);
  CHECK(steady::now() - then < 5s);
  over = true;
  MESSAGE("longest turn: ", longest.count(), " ms");
  // The server takes a second for its reply.
  CHECK(longest < 900ms);
}

TEST_CASE("a mail ends at its deadline, and with its client") {
  http_server const silent([](http_connection& connection) { connection.hold(); });
  asio::io_context io{1};
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  std::optional<mail_client> client(std::in_place, io,
                                    std::make_shared<mail_settings const>(to_server(silent.port())), trust);
  auto const begin = steady::now();
  auto const late = run_task(io, client->send({"a@mail.test", "x"}, deadline::after(300ms)));
  CHECK(late.error == failure::first_byte_timeout);
  CHECK(steady::now() - begin < 3s);

  std::optional<mail_answer> stopped;
  asio::co_spawn(io, client->send({"a@mail.test", "x"}, deadline::after(30s)),
                 [&](std::exception_ptr, mail_answer came) { stopped = came; });
  io.restart();
  io.run_for(100ms);
  auto const then = steady::now();
  client.reset();
  CHECK(steady::now() - then < 3s);
  io.restart();
  io.run();
  REQUIRE(stopped);
  CHECK(stopped->error == failure::cancelled);
}

TEST_CASE("the mails of a client with a queue keep its pace, and one without a turn by its deadline is not sent") {
  mail_sink const sink;
  asio::io_context io{1};
  mail_turns turns(io, 2);
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  mail_client client(io, std::make_shared<mail_settings const>(to_server(sink.port())), trust, 2,
                     mail_queue{turns, mail_lane::alert});
  auto const begin = steady::now();
  for (int i = 0; i < 4; ++i)
    CHECK(run_task(io, client.send({"a@mail.test", "Subject: x\r\n\r\nx"}, deadline::after(20s))).status == 250);
  CHECK(steady::now() - begin >= 900ms);
  auto const late = run_task(io, client.send({"a@mail.test", "x"}, deadline::after(10ms)));
  CHECK(late.error == failure::connect_timeout);
  CHECK_FALSE(late.in_session);
  CHECK(sink.mails().size() == 4);
}

TEST_CASE(
    "a thread that works past the deadline of its mail is overdue, with the project of the mail, until it ends") {
  http_server const silent([](http_connection& connection) { connection.hold(); });
  asio::io_context io{1};
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  mail_client client(io, std::make_shared<mail_settings const>(to_server(silent.port())), trust);
  uuid const stuck{{1}}, other{{2}};
  REQUIRE(failpoint::configure("mail.send=sleep:4000*1"));
  auto const until = deadline::after(300ms);
  CHECK(run_task(io, client.send({"a@mail.test", "x", stuck}, until)).error == failure::first_byte_timeout);
  REQUIRE(failpoint::configure(""));
  // libcurl ends this one by its deadline, so no thread is overdue for it.
  CHECK(run_task(io, client.send({"a@mail.test", "x", other}, deadline::after(300ms))).error ==
        failure::first_byte_timeout);
  auto const overdue = client.overdue(until.at() + 1234ms);
  CHECK(overdue.lasted == 1234ms);
  CHECK(overdue.project == stuck);
  CHECK(client.overdue(until.at()).lasted == 0ms);
  CHECK(comes_true([&] { return client.overdue(until.at() + 1h).lasted == 0ms; }, 20s));
}

TEST_CASE("OpenSMTPD takes our mails, refuses one of three recipients for good and one for now") {
  opensmtpd const server;
  if (!server.runs()) {
    MESSAGE("not shown: no namespace of mounts can be made here");
    return;
  }
  sending_fixture fixture(mail_authority(), to_server(server.port()));
  auto const came = fixture.send(mails_to({"a@mail.test", "never@mail.test", "later@mail.test"}),
                                 one_failure("Größe " + hostile_name));
  CHECK(came.came == outcome{.state = fate::retry, .cause = reason::refused, .status = 451});
  REQUIRE(came.settled.size() == 2);
  CHECK(came.settled[0].taken);
  CHECK_FALSE(came.settled[1].taken);
  auto const mails = server.delivered(1);
  REQUIRE(mails.size() == 1);
  // The server has neither added to our head nor repaired it: it has our Message-ID, and both parts.
  CHECK(mails[0].find("Message-ID: <" + id_of(99).to_string() + "@svc.example>") != std::string::npos);
  CHECK(mails[0].find("Content-Type: text/html; charset=utf-8") != std::string::npos);
  CHECK(mails[0].find("Delivered-To: a@mail.test") != std::string::npos);
}

TEST_CASE("OpenSMTPD takes our mails over STARTTLS with a login, and nothing without either") {
  opensmtpd const server(&mail_authority());
  if (!server.runs()) {
    MESSAGE("not shown: no namespace of mounts can be made here");
    return;
  }
  auto const encrypted = to_server(server.port(), mail_tls::required);
  struct {
    char const* name;
    mail_settings settings;
    throwaway_ca const& trusted;
    reason reason;
  } const table[] = {
      {"foreign certificate", with_login(encrypted), make_self_signed("DNS:localhost,IP:127.0.0.1"),
       reason::tls_failed},
      {"wrong password", with_login(encrypted, "wrong"), mail_authority(), reason::auth_failed},
      {"no login", encrypted, mail_authority(), reason::auth_failed},
      {"no STARTTLS", to_server(server.port()), mail_authority(), reason::auth_failed},
  };
  for (auto const& row : table) {
    CAPTURE(row.name);
    sending_fixture fixture(row.trusted, row.settings);
    auto const came = fixture.send(mails_to({"a@mail.test"}), one_failure());
    CHECK(came.came.state == fate::retry);
    CHECK(name_of(came.came.cause) == name_of(row.reason));
    CHECK(came.settled.empty());
  }
  sending_fixture fixture(mail_authority(), with_login(encrypted));
  auto const came = fixture.send(mails_to({"never@mail.test", "a@mail.test", "later@mail.test"}), one_failure());
  CHECK(came.came == outcome{.state = fate::retry, .cause = reason::refused, .status = 451});
  REQUIRE(came.settled.size() == 2);
  CHECK_FALSE(came.settled[0].taken);
  CHECK(came.settled[1].taken);
  // The mailbox does not have the refused mail, so this is the accepted one.
  auto const mails = server.delivered(1);
  REQUIRE(mails.size() == 1);
  // The session had TLS and a login (RFC 3848).
  CHECK(mails[0].find("by mail.test (OpenSMTPD) with ESMTPSA id ") != std::string::npos);
  CHECK(mails[0].find("Delivered-To: a@mail.test") != std::string::npos);
}
