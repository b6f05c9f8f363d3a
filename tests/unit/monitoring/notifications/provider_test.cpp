#include "svc/monitoring/notifications/provider.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace svc;
using namespace svc::notifications;

namespace {

template <class Config>
Config read_as(provider_type type, std::string_view json) {
  return std::get<Config>(read_config(type, json).value());
}

}  // namespace

TEST_CASE("the config of each type of provider") {
  using enum provider_type;
  CHECK(read_as<email_config>(email, R"({"to":["a@x","b@y"]})").texts == std::vector<std::string>{"a@x", "b@y"});
  CHECK(read_as<slack_config>(slack, R"({"webhookUrl":"https://a.example/x","channel":"#c"})").channel == "#c");
  CHECK(read_as<discord_config>(discord, R"({"webhookUrl":"https://a.example/x"})").webhook_url ==
        "https://a.example/x");
  auto const chat = read_as<telegram_config>(telegram, R"({"botToken":"1:a","chatId":"-1","threadId":5})");
  CHECK(chat.is_group());
  CHECK(chat.thread_id == 5);
  CHECK(read_as<teams_config>(teams, R"({"webhookUrl":"https://a.example/x"})").webhook_url.size() == 19);
  auto const pager = read_as<pagerduty_config>(pagerduty, R"({"routingKey":"R","region":"eu","severity":"warning"})");
  CHECK(pager.eu);
  CHECK(pager.severity == "warning");
  CHECK(read_as<pagerduty_config>(pagerduty, R"({"routingKey":"R"})").severity == "critical");
  auto const phone =
      read_as<ntfy_config>(ntfy, R"({"server":"http://10.0.0.1:8080","topic":"a_B-1","token":"tk_a1","priority":5})");
  CHECK(phone.server == "http://10.0.0.1:8080");
  CHECK(phone.topic == "a_B-1");
  CHECK(phone.token.reveal() == "tk_a1");
  CHECK(phone.priority == 5);
  auto const usual = read_as<ntfy_config>(ntfy, R"({"topic":"t"})");
  CHECK(usual.server == "https://ntfy.sh");
  CHECK(usual.token.empty());
  CHECK(usual.priority == 4);
  auto const hook = read_as<webhook_config>(
      webhook, R"({"url":"http://10.0.0.1/","method":"PUT","headers":{"X-A":"1"},"bodyTemplate":"[\"{{title}}\"]",)"
               R"("signingSecret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw","groupSeconds":5})");
  CHECK(hook.method == "PUT");
  CHECK(hook.headers.size() == 1);
  CHECK(hook.body);
  CHECK(hook.signing_secret.reveal().starts_with("whsec_"));
  CHECK(read_as<webhook_config>(webhook, R"({"url":"https://a.example/"})").method == "POST");
}

TEST_CASE("each type of provider has a name of its own and a complete row") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < provider_type_count; ++i) {
    auto const type = static_cast<provider_type>(i);
    auto const& row = row_of(type);
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(provider_type_named(row.name) == type);
    CHECK(bool(row.read != nullptr));
    CHECK((row.compose == nullptr) == (type == provider_type::email));
    CHECK(bool(row.accepts != nullptr));
    CHECK(row.pace > milliseconds(0));
  }
  CHECK_FALSE(provider_type_named("pager").has_value());
}

TEST_CASE("configs that are refused on save") {
  using enum provider_type;
  struct {
    provider_type type;
    std::string config;
    std::string_view field;
  } const table[] = {
      {email, "[]", "/config"},
      {email, "{", "/config"},
      {email, "{}", "/config/to"},
      {email, R"({"to":[]})", "/config/to"},
      {email, R"({"to":["a@x","b>@y"]})", "/config/to/1"},
      {email, R"({"to":[7]})", "/config/to/0"},
      {slack, "{}", "/config/webhookUrl"},
      {slack, R"({"webhookUrl":7})", "/config/webhookUrl"},
      {slack, R"({"webhookUrl":"http://a.example/"})", "/config/webhookUrl"},
      {slack, R"({"webhookUrl":"https://u:p@a.example/"})", "/config/webhookUrl"},
      {slack, R"({"webhookUrl":"https://a.example:25/"})", "/config/webhookUrl"},
      {teams, R"({"webhookUrl":"https://0x7f.1/"})", "/config/webhookUrl"},
      {teams, R"({"webhookUrl":"http://a.example/"})", "/config/webhookUrl"},
      {discord, R"({"webhookUrl":"ftp://a.example/"})", "/config/webhookUrl"},
      {discord, R"({"webhookUrl":"http://a.example/"})", "/config/webhookUrl"},
      {telegram, R"({"botToken":"1:a"})", "/config/chatId"},
      {telegram, R"({"chatId":"1"})", "/config/botToken"},
      {telegram, R"({"botToken":"1:a","chatId":"1","threadId":"x"})", "/config/threadId"},
      {pagerduty, "{}", "/config/routingKey"},
      {pagerduty, R"({"routingKey":"R","region":"cn"})", "/config/region"},
      {pagerduty, R"({"routingKey":"R","severity":"bad"})", "/config/severity"},
      {ntfy, "{}", "/config/topic"},
      {ntfy, R"({"topic":"a/b"})", "/config/topic"},
      {ntfy, R"({"topic":"a?b"})", "/config/topic"},
      {ntfy, R"({"topic":")" + std::string(65, 'a') + "\"}", "/config/topic"},
      {ntfy, R"({"topic":"t","server":7})", "/config/server"},
      {ntfy, R"({"topic":"t","server":"ftp://a.example"})", "/config/server"},
      {ntfy, R"({"topic":"t","server":"https://a.example/?a=1"})", "/config/server"},
      {ntfy, R"({"topic":"t","token":"a\r\nX-B: c"})", "/config/token"},
      {ntfy, R"({"topic":"t","priority":0})", "/config/priority"},
      {ntfy, R"({"topic":"t","priority":6})", "/config/priority"},
      {ntfy, R"({"topic":"t","priority":"4"})", "/config/priority"},
      {webhook, "{}", "/config/url"},
      {webhook, R"({"url":"https://a.example/","method":"GET"})", "/config/method"},
      {webhook, R"({"url":"https://a.example/","headers":[]})", "/config/headers"},
      {webhook, R"({"url":"https://a.example/","headers":{"Webhook-Id":"1"}})", "/config/headers/Webhook-Id"},
      {webhook, R"({"url":"https://a.example/","headers":{"Content-Length":"1"}})", "/config/headers/Content-Length"},
      {webhook, R"({"url":"https://a.example/","headers":{"X-A":1}})", "/config/headers/X-A"},
      {webhook, R"({"url":"https://a.example/","bodyTemplate":"{{title}}"})", "/config/bodyTemplate"},
      {webhook, R"({"url":"https://a.example/","bodyTemplate":"\"{{nobody}}\""})", "/config/bodyTemplate"},
      {webhook, R"({"url":"https://a.example/","signingSecret":"generate"})", "/config/signingSecret"},
  };
  for (auto const& row : table) {
    CAPTURE(row.config);
    auto const read = read_config(row.type, row.config);
    REQUIRE_FALSE(read.has_value());
    auto const wrong = read.error().details;
    CHECK(std::ranges::find(wrong, row.field, &field_error::field) != wrong.end());
  }
}

TEST_CASE("a refusal says nothing of the secret that it refuses") {
  auto const read =
      read_config(provider_type::webhook, R"({"url":"https://a.example/","signingSecret":"whsec_hunter2"})");
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message.find("hunter2") == std::string::npos);
  for (auto const& error : read.error().details) CHECK(error.message.find("hunter2") == std::string::npos);
}
