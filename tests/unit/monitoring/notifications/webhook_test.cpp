#include "svc/monitoring/notifications/signature.hpp"
#include "unit/monitoring/notifications/messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace svc;
using namespace svc::notifications;

namespace {

// The values of the specification's own implementations. Each implementation must produce the same signature.
constexpr char const* published_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string field_of(http_post const& post, std::string_view name) {
  auto const found = std::ranges::find(post.fields, name, &header_field::name);
  return found == post.fields.end() ? std::string() : found->value;
}

webhook_config with_template(std::string_view text) {
  webhook_config out{.url = "https://example.com/hook"};
  out.body = body_template::parse(text).value();
  return out;
}

}  // namespace

TEST_CASE("a webhook is signed as Standard Webhooks publishes it") {
  auto const key = read_signing_secret(published_secret);
  REQUIRE(key.has_value());
  CHECK(sign(*key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330, R"({"test": 2432232314})") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_CASE("signing secrets: whsec_ and the base64 of 24 to 64 bytes") {
  CHECK(read_signing_secret("whsec_" + std::string(32, 'A')).has_value());
  CHECK(read_signing_secret("whsec_" + std::string(85, 'A') + "A==").has_value());
  for (std::string const& bad :
       {std::string(), std::string("whsec_"), std::string(32, 'A'),
        "whsec_" + std::string(28, 'A') + "AAA=", "whsec_" + std::string(88, 'A'),
        "whsec_" + std::string(31, 'A') + "-", "whsec_" + std::string(33, 'A'), "WHSEC_" + std::string(32, 'A')}) {
    CAPTURE(bad);
    CHECK_FALSE(read_signing_secret(bad).has_value());
  }
  auto const secret = make_signing_secret(), other = make_signing_secret();
  CHECK(read_signing_secret(secret.reveal())->size() == 32);
  CHECK(secret.reveal() != other.reveal());
}

TEST_CASE("a webhook carries its id, the attempt's time, and a signature of each secret") {
  webhook_config config{.url = "https://example.com/hook", .method = "PUT", .headers = {{"X-Key", "abc"}}};
  auto const message = message_of({failure_of_monitor(1)});
  auto post = one_post(config, message);
  CHECK(post.method == "PUT");
  CHECK(field_of(post, "X-Key") == "abc");
  CHECK(field_of(post, "Content-Type") == "application/json");
  CHECK(field_of(post, "webhook-id") == message.id.to_string());
  CHECK(field_of(post, "webhook-timestamp") == "1795000000");
  CHECK(field_of(post, "webhook-signature").empty());

  config.signing_secret = make_signing_secret();
  config.former_secret = make_signing_secret();
  post = one_post(config, message);
  auto const agent = [&](secret_string const& secret) {
    return sign(*read_signing_secret(secret.reveal()), message.id.to_string(), 1'795'000'000, post.body);
  };
  CHECK(field_of(post, "webhook-signature") == agent(config.signing_secret) + " " + agent(config.former_secret));
  config.former_secret = {};
  CHECK(field_of(one_post(config, message), "webhook-signature") == agent(config.signing_secret));
}

TEST_CASE("the body of a webhook") {
  auto alert = failure_of_monitor(1, hostile_name);
  alert.locations = {"local"};
  auto const body = body_of(one_post(webhook_config{.url = "https://example.com/"}, message_of({alert})));
  CHECK(body.at("type") == boost::json::value("monitor.failure"));
  CHECK(body.at("timestamp") == boost::json::value(to_rfc3339(ten_o_clock)));
  auto const& data = body.at("data");
  CHECK(data.at_pointer("/alertId") == boost::json::value(alert.id.to_string()));
  CHECK(data.at_pointer("/project/slug") == boost::json::value("acme"));
  CHECK(data.at_pointer("/monitor/name") == boost::json::value(hostile_name));
  CHECK(data.at_pointer("/monitor/type") == boost::json::value("http_request"));
  CHECK(data.at_pointer("/monitor/target") == boost::json::value("https://shop.example/"));
  CHECK(data.at_pointer("/outage/endedAt").is_null());
  CHECK(data.at_pointer("/result/code") == boost::json::value("connect_refused"));
  CHECK(data.at_pointer("/result/statusCode").is_null());
  CHECK(data.at_pointer("/result/responseTimeMs").is_null());
  CHECK(data.at_pointer("/locations/0") == boost::json::value("local"));
  CHECK(data.at_pointer("/reminder") == boost::json::value(0U));
  CHECK(data.at_pointer("/test") == boost::json::value(false));
  CHECK(data.at_pointer("/url").as_string().starts_with("https://dash.example/monitors/"));

  alert.result->status_code = 503;
  alert.result->response_time_ms = 1234;
  auto const answered = body_of(one_post(webhook_config{.url = "https://example.com/"}, message_of({alert})));
  CHECK(answered.at_pointer("/data/result/statusCode") == boost::json::value(503));
  CHECK(answered.at_pointer("/data/result/responseTimeMs") == boost::json::value(1234));

  auto const digest = body_of(one_post(webhook_config{.url = "https://example.com/"}, storm(70)));
  CHECK(digest.at("type") == boost::json::value("alerts.digest"));
  CHECK(digest.at_pointer("/data/alerts").as_array().size() == 50);
  CHECK(digest.at_pointer("/data/alerts/0/type") == boost::json::value("monitor.failure"));
  CHECK(digest.at_pointer("/data/unnamed") == boost::json::value(20U));
}

TEST_CASE("a webhook is at most 64 KiB, whatever its content") {
  auto big = storm(60, std::string(250, '"'));
  for (auto& alert : big.alerts) {
    alert.custom_message = std::string(100'000, '\\');
    alert.result->message = std::string(100'000, '"');
    alert.error = std::string(100'000, '"');
  }
  auto const plain = one_post(webhook_config{.url = "https://example.com/"}, big);
  CHECK(plain.body.size() <= 64 * 1024);
  CHECK(body_of(plain).at_pointer("/data/alerts").as_array().size() == 50);
  CHECK(body_of(plain).at_pointer("/data/alerts/49/error").as_string().starts_with("\"\"\""));
  std::string many = "[";
  for (int i = 0; i < 700; ++i) many += std::string(i == 0 ? "" : ",") + "\"{{message}}\"";
  auto const templated = one_post(with_template(many + "]"), big);
  CHECK(templated.body.size() <= 64 * 1024);
  CHECK(body_of(templated).as_array().size() == 700);
}

TEST_CASE("a template's names are replaced inside of strings, and nothing breaks out") {
  auto alert = failure_of_monitor(1, "a\",\"admin\":true,\"x\":\"{{message}}");
  alert.result->response_time_ms = 42;
  struct {
    std::string_view given, wanted;
  } const table[] = {
      {R"("{{monitorName}}")", R"("a\",\"admin\":true,\"x\":\"{{message}}")"},
      {R"({"{{type}}":[1,"x {{ severity }} y",null,true]})", R"({"monitor.failure":[1,"x critical y",null,true]})"},
      {R"("{{{status}}}")", R"("{down}")"},
      {R"("{{ 1 + 1 }} {{}} {{a b}} {{")", R"("{{ 1 + 1 }} {{}} {{a b}} {{")"},
      {R"("{{responseTime}}|{{errorMessage}}|{{alertAction}}|{{monitorType}}")",
       R"("42|the connection was refused (connect_refused)|trigger|http_request")"},
      {R"("{{projectName}} {{targetUrl}} {{timestamp}}")",
       R"("Acme https://shop.example/ 2026-11-18T11:06:40.000Z")"},
  };
  for (auto const& row : table) {
    CAPTURE(row.given);
    CHECK(one_post(with_template(row.given), message_of({alert})).body == row.wanted);
  }
  CHECK(one_post(with_template(R"("{{targetId}} {{projectId}} {{dedupKey}}")"), message_of({alert})).body ==
        "\"" + alert.about.id.to_string() + " " + id_of(98).to_string() + " " + alert.outage->id.to_string() + "\"");
  CHECK(
      one_post(with_template(R"("{{dashboardUrl}}{{title}}{{targetName}}")"), message_of({failure_of_monitor(1)}), {})
          .body == R"("[DOWN] shopshop")");
  auto const several = one_post(with_template(R"({"t":"{{type}}","m":"{{message}}"})"), storm(2)).body;
  CHECK(several.starts_with(R"({"t":"alerts.digest","m":"[DOWN] shop 0 has been down)"));
}

TEST_CASE("every name of a template has its value") {
  auto alert = failure_of_monitor(1);
  alert.result->response_time_ms = 42;
  for (auto const name : template_names) {
    CAPTURE(name);
    auto const body = one_post(with_template("\"{{" + std::string(name) + "}}\""), message_of({alert})).body;
    CHECK(body.size() > 2);
    CHECK(body.find('{') == std::string::npos);
  }
}

TEST_CASE("templates that are refused on save") {
  struct {
    std::string text;
    std::string_view reason;
  } const table[] = {
      {"", "must be JSON"},
      {"{{title}}", "must be JSON"},
      {R"({"a":"{{titel}}"})", "unknown name {{titel}}"},
      {R"({"{{nobody}}":1})", "unknown name {{nobody}}"},
      {R"([[{"a":["{{ x }}"]}]])", "unknown name {{x}}"},
      {std::string(33, '[') + std::string(33, ']'), "32 levels"},
      {"\"" + std::string(10'000, 'a') + "\"", "longer than 10000"},
  };
  for (auto const& row : table) {
    CAPTURE(row.text);
    auto const read = body_template::parse(row.text);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.find(row.reason) != std::string::npos);
    CHECK(read.error().details.front().field == "/config/bodyTemplate");
  }
  CHECK(body_template::parse("\"" + std::string(9'998, 'a') + "\"").has_value());
  CHECK(body_template::parse(std::string(32, '[') + std::string(32, ']')).has_value());
}
