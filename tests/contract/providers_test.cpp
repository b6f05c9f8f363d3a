// Tests providers through the API: tests of a provider against a receiver, secrets that are shown once, and the list
// of users of a provider.
#include "contract/contract_fixture.hpp"
#include "integration/egress/http_server.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <csignal>
#include <future>
#include <mutex>
#include <vector>

namespace svc::test {
namespace {

namespace json = boost::json;

constexpr std::string_view shelf = "/api/notification-providers";

/// Answers each request with the current answer. No user may see the bodies of its answers.
struct receiver {
  void says(std::string answer) {
    std::lock_guard const lock(mutex_);
    answer_ = std::move(answer);
  }
  void says(int status, std::string const& fields = "") {
    says("HTTP/1.1 " + std::to_string(status) + " X\r\n" + fields + "Content-Length: 10\r\n\r\nSECRETBODY");
  }
  std::string url() const { return server.url("/hook"); }
  std::size_t count() const { return server.requests().size(); }

 private:
  std::string now() {
    std::lock_guard const lock(mutex_);
    return answer_;
  }
  std::mutex mutex_{};
  std::string answer_{};

 public:
  http_server server{[this](http_connection& connection) {
    connection.request();
    connection.send(now());
  }};
};

struct provider_desk : contract_fixture {
  json::value make(json::object config, std::string const& type = "webhook") {
    return must(201, {"POST", std::string(shelf), main().token, body_of(std::move(config), type)});
  }
  static std::string body_of(json::object config, std::string const& type = "webhook") {
    return json::serialize(json::object{{"name", "made"}, {"type", type}, {"config", std::move(config)}});
  }
  static std::string at(json::value const& provider, std::string const& more = "") {
    return std::string(shelf) + "/" + std::string(provider.at("id").as_string()) + more;
  }
  /// Returns the reason, and checks the facts that hold for each answer.
  std::string reason_of(request const& request) {
    auto const got = send(request);
    CHECK(got.status == 200);
    CHECK(got.body.find("SECRETBODY") == std::string::npos);
    auto const body = json::parse(got.body).as_object();
    CHECK(body.size() == 3);
    CHECK(body.at("success").as_bool() == (body.at("reason") == "delivered"));
    CHECK(!body.at("message").as_string().empty());
    return std::string(body.at("reason").as_string());
  }
  std::string test(json::value const& provider) { return reason_of({"POST", at(provider, "/test"), main().token}); }
  std::string test_unsaved(json::object config, std::string const& type = "webhook") {
    return reason_of({"POST", std::string(shelf) + "/test", main().token, body_of(std::move(config), type)});
  }
  /// Returns the field that the answer to a refused unsaved test points to.
  std::string refused(json::object config, std::string const& type = "webhook") {
    auto const got = send({"POST", std::string(shelf) + "/test", main().token, body_of(std::move(config), type)});
    CHECK(got.status == 400);
    return std::string(json::parse(got.body).at("details").at(0).at("field").as_string());
  }
  json::value read(json::value const& provider) { return must(200, {"GET", at(provider), main().token}); }
};

/// Computes the signature of Standard Webhooks without code of the service.
std::string signature_by(std::string_view secret, std::string const& text) {
  auto const bytes = [](std::string_view name) { return reinterpret_cast<unsigned char const*>(name.data()); };
  auto const key_text = secret.substr(6);
  std::vector<unsigned char> key(key_text.size());
  auto size = EVP_DecodeBlock(key.data(), bytes(key_text), static_cast<int>(key_text.size()));
  for (auto end = key_text.size(); key_text[--end] == '=';) --size;
  std::array<unsigned char, 32> digest{};
  std::array<unsigned char, 48> out{};
  HMAC(EVP_sha256(), key.data(), size, bytes(text), text.size(), digest.data(), nullptr);
  auto const length = EVP_EncodeBlock(out.data(), digest.data(), digest.size());
  return "v1," + std::string(out.begin(), out.begin() + length);
}

std::string field_of_request(std::string const& request, std::string const& name) {
  auto const position = request.find("\r\n" + name + ": ");
  REQUIRE(position != std::string::npos);
  auto const begin = position + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

TEST_CASE("a test of a provider is one real attempt, whose outcome is returned and kept") {
  provider_desk s;
  receiver receiver;
  auto const made = s.make({{"url", receiver.url()}});
  CHECK(made.at("health") == "unknown");
  receiver.says(204);
  CHECK(s.test(made) == "delivered");
  REQUIRE(receiver.count() == 1);
  CHECK(receiver.server.requests().at(0).find(R"("test":true)") != std::string::npos);
  auto read = s.read(made);
  CHECK(read.at("health") == "ok");
  CHECK(read.at("lastUsed").is_string());
  CHECK(read.at("lastError").is_null());

  struct {
    int status;
    std::string reason;
  } const answers[] = {{200, "delivered"}, {401, "auth_failed"}, {403, "auth_failed"},
                       {404, "refused"},   {410, "refused"},     {400, "rejected"},
                       {413, "rejected"},  {500, "refused"},     {302, "refused"}};
  for (auto const& each : answers) {
    CAPTURE(each.status);
    receiver.says(each.status, "Location: http://127.0.0.1:1/\r\n");
    CHECK(s.test(made) == each.reason);
  }
  CHECK(receiver.count() == 1 + std::size(answers));
  receiver.says("nonsense\r\n\r\n");
  CHECK(s.test(made) == "refused");
  receiver.says("");
  CHECK(s.test(made) == "connect_failed");
  receiver.says(503);
  CHECK(s.test(made) == "refused");
  read = s.read(made);
  CHECK(read.at("health") == "failing");
  CHECK(read.at("lastError").at("reason") == "refused");
  CHECK(read.at("lastError").at("status") == 503);
  // Even a provider that is gone stays unchanged, because nothing was lost.
  CHECK(read.at("enabled") == true);

  // A provider that asks for a pause gets it.
  auto const before = receiver.count();
  receiver.says(429, "Retry-After: 60\r\n");
  CHECK(s.test(made) == "rate_limited");
  read = s.read(made);
  CHECK(s.test(made) == "rate_limited");
  CHECK(receiver.count() == before + 1);
  // A message that was not sent says nothing about the provider.
  CHECK(s.read(made) == read);

  auto const audit = s.sql().run(
      "SELECT string_agg(DISTINCT details ->> 'reason', ' ') FROM audit_log"
      " WHERE action = 'notification_provider.tested' AND resource_id = $1",
      {std::string(made.at("id").as_string())});
  CHECK(audit.at(0).at(0) == "auth_failed connect_failed delivered rate_limited refused rejected");
}

TEST_CASE("a test may wait for its turn longer than other requests take, and an instance that drains lets it end") {
  provider_desk s;
  receiver receiver;
  receiver.says(204);
  auto const made = s.must(
      201, {"POST", std::string(shelf), s.main().token,
            R"({"name":"slow","type":"webhook","ratePerMinute":20,"config":{"url":")" + receiver.url() + "\"}}"});
  second_service other(s.dev(), {patient_redis, "SVC_DRAIN_DELAY=0s", "SVC_HTTP_DEADLINE=2s"});
  support::https_client client(other.url(), s.ca());
  CHECK(s.test(made) == "delivered");
  auto waits = std::async(std::launch::async, [&] {
    return contract_fixture::send(client, {"POST", provider_desk::at(made, "/test"), s.main().token});
  });
  auto const has_turn = [&] {
    return s.sql().run("SELECT max(next_start) > now() + interval '3 s' FROM provider_queue", {}).at(0).at(0) == "t";
  };
  CHECK(comes_true(has_turn, milliseconds(2500)));
  other.process().signal(SIGTERM);
  auto const got = waits.get();
  CHECK(got.status == 200);
  CHECK(got.body.find(R"("delivered")") != std::string::npos);
  CHECK(receiver.count() == 2);
  CHECK(other.process().wait() == 0);
}

TEST_CASE("a test of an unsaved provider reaches no internal address and sends no secret that a mask replaces") {
  provider_desk s;
  receiver receiver;
  receiver.says(200);
  CHECK(s.test_unsaved({{"url", receiver.url()}}) == "delivered");
  CHECK(receiver.count() == 1);
  CHECK(s.test_unsaved({{"url", "http://10.0.0.1/"}}) == "address_blocked");
  CHECK(s.test_unsaved({{"url", "http://8.8.8.8/"}}) == "address_blocked");
  CHECK(s.test_unsaved({{"url", "https://127.0.0.1:1234/"}}) == "connect_failed");
  CHECK(s.test_unsaved({{"webhookUrl", "https://hooks.example.org/T"}}, "slack") == "dns_failed");
  CHECK(s.test_unsaved({{"to", {"a@example.org"}}}, "email") == "smtp_unconfigured");
  CHECK(s.refused({{"url", "https://10.0.0.1/"}}) == "/config/url");
  CHECK(s.refused({{"url", "https://169.254.169.254/"}}) == "/config/url");
  CHECK(s.refused({{"url", "********"}}) == "/config/url");
  CHECK(s.refused({{"url", receiver.url()}, {"headers", {{"X-Key", "********"}}}}) == "/config/headers/X-Key");
  CHECK(s.refused({{"url", receiver.url()}, {"bodyTemplate", "{{nobody}}"}}) == "/config/bodyTemplate");
  CHECK(s.test_unsaved({{"server", "http://10.0.0.1"}, {"topic", "t"}}, "ntfy") == "address_blocked");
  CHECK(s.refused({{"server", "https://10.0.0.1"}, {"topic", "t"}}, "ntfy") == "/config/server");
  CHECK(s.refused({{"topic", "t"}, {"token", "********"}}, "ntfy") == "/config/token");
  CHECK(s.refused({{"routingKey", "********"}}, "pagerduty") == "/config/routingKey");
  CHECK(receiver.count() == 1);
  // The audit log stores only that the test happened.
  CHECK(s.sql()
            .run("SELECT count(*) FROM audit_log WHERE action = 'notification_provider.tested'"
                 " AND resource_id IS NULL",
                 {})
            .at(0)
            .at(0) == "7");
}

TEST_CASE("a token for ntfy reads back masked, and is given again for another server or topic") {
  provider_desk s;
  auto const made = s.make({{"topic", "t"}, {"token", "tk_a1"}}, "ntfy");
  CHECK(made.at("config") == json::value({{"topic", "t"}, {"token", "********"}, {"server", "https://ntfy.sh"}}));
  CHECK(made.at("maskedFields") == json::value(json::array{"/config/token"}));
  auto const patch = [&](json::object config) {
    return s.send({"PATCH", provider_desk::at(made), s.main().token,
                   json::serialize(json::object{{"config", std::move(config)}})});
  };
  CHECK(patch({{"priority", 5}}).status == 200);
  for (auto const& change : {json::object{{"topic", "u"}}, json::object{{"server", "https://ntfy.example"}}}) {
    auto const refused = patch(change);
    CHECK(refused.status == 400);
    CHECK(json::parse(refused.body).at("details").at(0).at("field") == "/config/token");
  }
  CHECK(patch({{"topic", "u"}, {"token", "tk_b2"}}).status == 200);
  CHECK(s.read(made).at("config") ==
        json::value({{"topic", "u"}, {"token", "********"}, {"server", "https://ntfy.sh"}, {"priority", 5}}));
}

TEST_CASE(
    "an operator restricts mail to members and domains: a provider is refused, and one from before sends nothing") {
  provider_desk s;
  auto const before = s.make({{"to", {"x@else.example"}}}, "email");
  second_service other(s.dev(), {patient_redis, "SVC_NOTIFICATIONS_MAIL_RECIPIENTS=members,example.org",
                                 "SVC_SMTP_URL=smtp://127.0.0.1:1", "SVC_SMTP_FROM=svc@example.org"});
  support::https_client client(other.url(), s.ca());
  auto const ask = [&](std::string const& method, std::string const& path, std::string const& body) {
    return contract_fixture::send(client, {method, path, s.main().token, body});
  };
  auto const config = [](json::array array) { return provider_desk::body_of({{"to", std::move(array)}}, "email"); };
  auto const refused = ask("POST", std::string(shelf), config({"a@example.org", "x@else.example"}));
  CHECK(refused.status == 400);
  CHECK(json::parse(refused.body).at("details").at(0).at("field") == "/config/to/1");
  CHECK(ask("POST", std::string(shelf), config({"a@example.org", "demo@localhost"})).status == 201);
  CHECK(ask("PATCH", provider_desk::at(before), R"({"config":{"to":["y@else.example"]}})").status == 400);
  CHECK(ask("PATCH", provider_desk::at(before), R"({"config":{"to":[7]}})").status == 400);
  CHECK(ask("PATCH", provider_desk::at(before), R"({"enabled":true,"name":"renamed"})").status == 200);
  auto const reason = [&](std::string const& path, std::string const& body) {
    return std::string(json::parse(ask("POST", path, body).body).at("reason").as_string());
  };
  CHECK(reason(provider_desk::at(before, "/test"), "") == "recipient_not_allowed");
  CHECK(reason(std::string(shelf) + "/test", config({"x@else.example"})) == "recipient_not_allowed");
  CHECK(reason(std::string(shelf) + "/test", config({"a@example.org"})) == "connect_failed");
}

TEST_CASE("a signing secret is shown once, and signs for a day in addition to its follower") {
  provider_desk s;
  receiver receiver;
  receiver.says(200);
  auto const got = s.send({"POST", std::string(shelf), s.main().token,
                           provider_desk::body_of({{"url", receiver.url()}, {"signingSecret", "generate"}})});
  REQUIRE(got.status == 201);
  CHECK(got.header("Cache-Control") == "no-store");
  auto const made = json::parse(got.body);
  std::string const first(made.at("signingSecret").as_string());
  CHECK(made.at("config").at("signingSecret") == "********");
  CHECK(json::serialize(made.at("maskedFields")).find("/config/signingSecret") != std::string::npos);
  auto const again = s.send({"GET", provider_desk::at(made), s.main().token});
  CHECK(again.body.find(first) == std::string::npos);
  CHECK_FALSE(json::parse(again.body).as_object().contains("signingSecret"));
  auto const second =
      s.must(200, {"PATCH", provider_desk::at(made), s.main().token, R"({"config":{"signingSecret":"generate"}})"});
  CHECK(second.at("signingSecret") != json::value(first));
  // The secret stays if the whole configuration is replaced without it.
  auto const replaced =
      s.must(200, {"PUT", provider_desk::at(made), s.main().token, provider_desk::body_of({{"method", "PUT"}})});
  CHECK(replaced.at("config").at("signingSecret") == "********");
  CHECK(s.test(made) == "delivered");
  auto const request = receiver.server.requests().at(0);
  CHECK(request.starts_with("PUT "));
  auto const body = request.substr(request.find("\r\n\r\n") + 4);
  auto const signed_text = field_of_request(request, "webhook-id") + "." +
                           field_of_request(request, "webhook-timestamp") + "." + body.substr(0, body.rfind('}') + 1);
  CHECK(field_of_request(request, "webhook-signature") ==
        signature_by(second.at("signingSecret").as_string(), signed_text) + " " + signature_by(first, signed_text));
  // The secret was given for the old address.
  auto const moved = s.send(
      {"PUT", provider_desk::at(made), s.main().token, provider_desk::body_of({{"url", "https://b.example.org/"}})});
  CHECK(moved.status == 400);
  CHECK(json::parse(moved.body).at("details").at(0).at("field") == "/config/signingSecret");
}

TEST_CASE("the users of a provider are listed, and it is replaced under conditions") {
  provider_desk s;
  auto const made = s.make({{"to", {"a@example.org"}}}, "email");
  auto const alerts = R"("alertConfig":{"enabled":true,"notificationProviders":[")" +
                      std::string(made.at("id").as_string()) + R"("]})";
  auto const monitor = s.must(201, {"POST", "/api/monitors", s.main().token,
                                    R"({"name":"shop","type":"website","target":"https://a.example.org/",)"
                                    R"("enabled":false,)" +
                                        alerts + "}"});
  auto const job = s.must(201, {"POST", "/api/jobs", s.main().token, R"({"name":"nightly",)" + alerts + "}"});
  auto const usage = s.must(200, {"GET", provider_desk::at(made, "/usage"), s.main().token});
  auto const user = [](json::value const& value) {
    return json::value(json::object{{"id", value.at("id")}, {"name", value.at("name")}});
  };
  CHECK(usage == json::value{{"monitors", json::array{user(monitor)}},
                             {"jobs", json::array{user(job)}},
                             {"statusPages", json::array{}}});

  auto const tag = s.send({"GET", provider_desk::at(made), s.main().token}).header("ETag").value();
  request put{"PUT",
              provider_desk::at(made),
              s.main().token,
              provider_desk::body_of({{"to", {"b@example.org"}}}, "email"),
              {{"If-Match", tag}}};
  CHECK(s.send(put).status == 200);
  CHECK(s.send(put).status == 412);
  CHECK(s.read(made).at("config").at("to").at(0) == "b@example.org");
  // A test does not change the provider.
  auto const now = s.send({"GET", provider_desk::at(made), s.main().token}).header("ETag").value();
  CHECK(s.test(made) == "smtp_unconfigured");
  put.headers = {{"If-Match", now}};
  CHECK(s.send(put).status == 200);
}

}  // namespace
}  // namespace svc::test
