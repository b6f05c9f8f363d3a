#include "integration/monitoring/notifications/fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

using namespace svc;
using namespace svc::notifications;

namespace {

throwaway_ca const& authority() {
  static auto const ca = make_throwaway_ca("DNS:a.test,DNS:b.test,DNS:inside.test,IP:127.0.0.1");
  return ca;
}

/// A receiver over TLS that answers with these bytes, and a place that sends to it.
struct receiver {
  explicit receiver(http_server::script script)
      : server({.tls = &authority()}, std::move(script)), fixture(authority()) {
    fixture.settings.urls = {.telegram = base(), .pagerduty = base(), .pagerduty_eu = base()};
  }
  explicit receiver(std::string answer) : receiver(saying(std::move(answer))) {}

  std::string base() const {
    auto const url = server.url("/", "a.test");
    return url.substr(0, url.size() - 1);
  }
  provider_config config(provider_type type) const {
    switch (type) {
      case provider_type::slack:
        return slack_config{base() + "/hook"};
      case provider_type::discord:
        return discord_config{base() + "/hook"};
      case provider_type::telegram:
        return telegram_config{.bot_token = "1:a", .chat_id = "5"};
      case provider_type::teams:
        return teams_config{base() + "/hook"};
      case provider_type::pagerduty:
        return pagerduty_config{.routing_key = "R"};
      case provider_type::ntfy:
        return ntfy_config{.server = base(), .topic = "t", .token = secret_string("tk_a1")};
      default:
        return webhook_config{.url = base() + "/hook"};
    }
  }
  outcome send(provider_type type) {
    return fixture.send(config(type), message_of({failure_of_monitor(1, hostile_name)})).came;
  }

  http_server server;
  sending_fixture fixture;
};

constexpr std::array over_http{provider_type::slack, provider_type::discord,   provider_type::telegram,
                               provider_type::teams, provider_type::pagerduty, provider_type::webhook,
                               provider_type::ntfy};

std::string good_answer(provider_type type) {
  if (type == provider_type::telegram) return answer_of(200, "", R"({"ok":true})");
  return answer_of(type == provider_type::pagerduty ? 202 : 200, "", "ok");
}

std::string body_in(std::string const& request) {
  auto const begin = request.find("\r\n\r\n") + 4;
  // The server notes the name that the client asked for behind the request.
  return request.substr(begin, request.rfind("}") + 1 - begin);
}

std::string field_in(std::string const& request, std::string const& name) {
  auto const position = request.find("\r\n" + name + ": ");
  REQUIRE(position != std::string::npos);
  auto const begin = position + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string output_of(std::string const& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  for (std::array<char, 256> part{}; fgets(part.data(), part.size(), pipe.get()) != nullptr;) out += part.data();
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

TEST_CASE("each type sends one request of JSON over TLS, which its documented answer takes") {
  struct {
    provider_type type;
    std::string_view first_line;
  } const table[] = {
      {provider_type::slack, "POST /hook HTTP/1.1"},
      {provider_type::discord, "POST /hook?wait=true HTTP/1.1"},
      {provider_type::telegram, "POST /bot1:a/sendMessage HTTP/1.1"},
      {provider_type::teams, "POST /hook HTTP/1.1"},
      {provider_type::pagerduty, "POST /v2/enqueue HTTP/1.1"},
      {provider_type::webhook, "POST /hook HTTP/1.1"},
      {provider_type::ntfy, "POST / HTTP/1.1"},
  };
  for (auto const& row : table) {
    CAPTURE(name_of(row.type));
    receiver receiver(good_answer(row.type));
    auto const came = receiver.send(row.type);
    CHECK(came.state == fate::taken);
    CHECK(came.cause == reason::delivered);
    REQUIRE(receiver.server.requests().size() == 1);
    auto const request = receiver.server.requests().front();
    CHECK(request.starts_with(row.first_line));
    CHECK(field_in(request, "Content-Type") == "application/json");
    CHECK(boost::json::parse(body_in(request)).is_object());
  }
}

TEST_CASE("answers that take nothing, as receivers of each type give them") {
  std::string const endless_head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  auto const endless = [endless_head](http_connection& connection) {
    connection.request();
    if (!connection.send(endless_head)) return;
    while (connection.send(std::string(65'536, 'x'))) {
    }
  };
  for (auto const type : over_http) {
    CAPTURE(name_of(type));
    struct {
      char const* name;
      http_server::script play;
      fate fate;
      reason reason;
      milliseconds pause = 0ms;
      bool gone = false;
    } const table[] = {
        {"429 with a time", saying(answer_of(429, "Retry-After: 7\r\n")), fate::retry, reason::rate_limited, 7s},
        {"429 without", saying(answer_of(429)), fate::retry, reason::rate_limited},
        {"410", saying(answer_of(410)), fate::dead, reason::refused, 0ms, true},
        {"401", saying(answer_of(401)), fate::dead, reason::auth_failed},
        {"400", saying(answer_of(400)), fate::dead, reason::rejected},
        {"500", saying(answer_of(500)), fate::retry, reason::refused},
        {"garbage", saying("\x01\x02 nonsense\r\n\r\n"), fate::retry, reason::refused},
        {"nothing", [](http_connection& target) { target.request(); }, fate::retry, reason::connect_failed},
        {"reset", [](http_connection& client) { client.request(), client.reset(); }, fate::retry,
         reason::connect_failed},
    };
    for (auto const& row : table) {
      CAPTURE(row.name);
      receiver sink(row.play);
      auto const came = sink.send(type);
      CHECK(came.state == row.fate);
      CHECK(name_of(came.cause) == name_of(row.reason));
      CHECK(came.not_before == row.pause);
      CHECK(came.gone == row.gone);
    }
    receiver receiver(endless);
    CHECK((receiver.send(type).state == fate::taken) ==
          (type != provider_type::telegram && type != provider_type::pagerduty));
  }
}

TEST_CASE("ntfy: a server gets topic, text and token, over plain http only where the operator opened the address") {
  receiver receiver(answer_of(200, "", R"({"id":"x","event":"message"})"));
  CHECK(receiver.send(provider_type::ntfy).state == fate::taken);
  auto const request = receiver.server.requests().at(0);
  CHECK(field_in(request, "Authorization") == "Bearer tk_a1");
  auto const body = boost::json::parse(body_in(request));
  CHECK(body.at("topic") == boost::json::value("t"));
  CHECK(body.at("priority") == boost::json::value(4));
  CHECK(body.at("message").as_string().find("has been down") != boost::json::string::npos);

  auto const notification = message_of({failure_of_monitor(1)});
  http_server opened(saying(answer_of(200)));
  CHECK(
      receiver.fixture.send(ntfy_config{.server = opened.url("", "a.test"), .topic = "t"}, notification).came.state ==
      fate::taken);
  http_server closed({.address = "127.0.0.2"}, saying(answer_of(200)));
  ntfy_config const inside{.server = closed.url("", "inside.test"), .topic = "t", .token = secret_string("tk_a1")};
  CHECK(receiver.fixture.send(inside, notification).came ==
        outcome{.state = fate::dead, .cause = reason::address_blocked});
  CHECK(closed.connections() == 0);
}

TEST_CASE("no redirect is followed") {
  http_server elsewhere({.tls = &authority()}, saying(answer_of(200)));
  receiver receiver(answer_of(307, "Location: " + elsewhere.url("/", "b.test") + "\r\n"));
  auto const came = receiver.send(provider_type::webhook);
  CHECK(came.state == fate::retry);
  CHECK(came.status == 307);
  CHECK(elsewhere.connections() == 0);
}

TEST_CASE("a received status counts, although the body breaks off") {
  receiver receiver("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
  CHECK(receiver.send(provider_type::webhook).state == fate::taken);
}

TEST_CASE("allowed addresses of messages: no closed address, plain http only to opened ones, verified certificates") {
  auto const message = message_of({failure_of_monitor(1)});
  sending_fixture fixture(authority());
  http_server inside({.address = "127.0.0.2", .tls = &authority()}, saying(answer_of(200)));
  auto const blocked = fixture.send(slack_config{inside.url("/", "inside.test")}, message).came;
  CHECK(blocked == outcome{.state = fate::dead, .cause = reason::address_blocked});
  CHECK(inside.connections() == 0);

  http_server plain(saying(answer_of(200)));
  CHECK(fixture.send(webhook_config{.url = plain.url("/", "a.test")}, message).came.state == fate::taken);
  http_server plain_inside({.address = "127.0.0.2"}, saying(answer_of(200)));
  CHECK(fixture.send(webhook_config{.url = plain_inside.url("/", "inside.test")}, message).came.cause ==
        reason::address_blocked);
  CHECK(plain_inside.connections() == 0);
  // A public address, which https may go to, is closed to plain http.
  CHECK(fixture.send(webhook_config{.url = "http://203.1.113.5/"}, message).came.cause == reason::address_blocked);

  auto const foreign = make_self_signed("DNS:a.test");
  http_server untrusted({.tls = &foreign}, saying(answer_of(200)));
  auto const came = fixture.send(slack_config{untrusted.url("/", "a.test")}, message).came;
  CHECK(came == outcome{.state = fate::retry, .cause = reason::tls_failed});
  CHECK(untrusted.requests().empty());

  CHECK(fixture.send(slack_config{"https://unknown.test/"}, message).came.cause == reason::dns_failed);
  CHECK(fixture.send(slack_config{"no url"}, message).came ==
        outcome{.state = fate::dead, .cause = reason::invalid_config});
}

TEST_CASE("a webhook's signature, checked by OpenSSL's command line") {
  receiver receiver(answer_of(204));
  auto config = std::get<webhook_config>(receiver.config(provider_type::webhook));
  config.signing_secret = secret_string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  auto const message = message_of({failure_of_monitor(1, hostile_name)});
  CHECK(receiver.fixture.send(config, message).came.state == fate::taken);
  auto const request = receiver.server.requests().at(0);
  CHECK(field_in(request, "webhook-id") == message.id.to_string());
  temporary_directory files;
  auto const signed_file = files.write("signed", field_in(request, "webhook-id") + "." +
                                                     field_in(request, "webhook-timestamp") + "." + body_in(request));
  auto const by_openssl = output_of(
      "key=$(printf %s MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw | openssl base64 -d -A | od -An -vtx1 | tr -d ' \\n'); "
      "openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary " +
      signed_file + " | openssl base64 -A");
  CHECK(field_in(request, "webhook-signature") == "v1," + by_openssl);
}

TEST_CASE("pagerduty: events of several alerts are sent in order, until one fails") {
  int left = 2;
  receiver receiver([&left](http_connection& connection) {
    while (!connection.request().empty()) connection.send(left-- > 0 ? answer_of(202) : answer_of(500));
  });
  auto const failure = failure_of_monitor(1);
  auto const came = receiver.fixture
                        .send(receiver.config(provider_type::pagerduty),
                              message_of({failure, recovery_of(failure, 60s), failure_of_monitor(20), failure}))
                        .came;
  CHECK(came.state == fate::retry);
  auto const requests = receiver.server.requests();
  CHECK(std::ranges::count_if(requests, [](auto const& text) { return !text.empty(); }) == 3);
  CHECK(requests.at(0).find("\"trigger\"") != std::string::npos);
}
