#include "api/resources.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

using test::object;

egress::address_policy const open_to;

std::string addresses(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "@example.org\"";
  return R"({"to":[)" + out + "]}";
}

TEST_CASE("the config of each type") {
  struct {
    char const* type;
    std::string config;
    std::string wrong;
  } const cases[] = {
      {"email", addresses(1), ""},
      {"email", addresses(20), ""},
      {"email", addresses(21), "/config/to"},
      {"email", R"({"to":[]})", "/config/to"},
      {"email", R"({})", "/config/to"},
      {"email", R"({"to":["a@b","a@b"]})", "/config/to/1"},
      {"email", R"({"to":["a b@c"]})", "/config/to/0"},
      {"email", R"({"to":["@c"]})", "/config/to/0"},
      {"email", R"({"to":["a@"]})", "/config/to/0"},
      {"email", R"({"to":["a@b@c"]})", "/config/to/0"},
      {"slack", R"({"webhookUrl":"https://hooks.example.org/T"})", ""},
      {"slack", R"({"webhookUrl":"https://hooks.example.org/T","channel":"#a"})", ""},
      {"slack", R"({"webhookUrl":"********"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"http://hooks.example.org/T"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"https://"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"https://user@example.org/"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"https://example.org/a b"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"https://example.org/#x"})", "/config/webhookUrl"},
      {"slack", R"({"channel":"#a"})", "/config/webhookUrl"},
      {"slack", R"({"webhookUrl":"https://e.org","to":[]})", "/config/to"},
      {"webhook", R"({"url":"https://e.org","method":"PUT","headers":{"X-Key":"a"},"bodyTemplate":"{}"})", ""},
      {"webhook", R"({"url":"https://e.org","method":"GET"})", "/config/method"},
      {"webhook", R"({"url":"https://e.org","headers":{"X Key":"a"}})", "/config/headers/X Key"},
      {"webhook", R"({"url":"https://e.org","headers":{"X-Key":"a\r\nb"}})", "/config/headers/X-Key"},
      {"webhook", R"({"url":"https://e.org","headers":{"a~b":1}})", "/config/headers/a~0b"},
      {"telegram", R"({"botToken":"1:a","chatId":"-100"})", ""},
      {"telegram", R"({"botToken":"","chatId":"-100"})", "/config/botToken"},
      {"telegram", R"({"botToken":"1:a"})", "/config/chatId"},
      {"discord", R"({"webhookUrl":"https://e.org"})", ""},
      {"teams", R"({"webhookUrl":"https://e.org","channel":"x"})", "/config/channel"},
      {"webhook", R"({"url":"http://10.0.0.1/"})", ""},
      {"webhook", R"({"url":"https://e.org","signingSecret":"generate"})", ""},
      {"webhook", R"({"url":"https://e.org","signingSecret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})", ""},
      {"webhook", R"({"url":"https://e.org","signingSecret":"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})",
       "/config/signingSecret"},
      {"telegram", R"({"botToken":"1:a","chatId":"-100","threadId":0})", "/config/threadId"},
      {"pagerduty", R"({"routingKey":"r"})", ""},
      {"pagerduty", R"({"routingKey":"r","severity":"fatal"})", "/config/severity"},
      {"ntfy", R"({"topic":"acme-alerts_1"})", ""},
      {"ntfy", R"({"server":"http://10.0.0.1:8080/ntfy","topic":"t","token":"tk_a1","priority":5})", ""},
      {"ntfy", R"({"server":"https://e.org/?a=1","topic":"t"})", "/config/server"},
      {"ntfy", R"({"topic":"a/b"})", "/config/topic"},
      {"ntfy", R"({"topic":"t","token":"a b"})", "/config/token"},
      {"ntfy", R"({"topic":"t","priority":6})", "/config/priority"},
      {"pager", R"({})", "/type"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.type);
    CAPTURE(c.config);
    auto const body = object(R"({"name":"n","type":")" + std::string(c.type) + R"(","config":)" + c.config + "}");
    CHECK(test::faults(test::check("CreateNotificationProvider", body)) == c.wrong);
  }
  CHECK(test::faults(test::check("CreateNotificationProvider", {})) == "/type");
  auto const twice =
      R"({"name":"n","type":"webhook","config":{"url":"https://e.org","headers":{"A~b":"a","a~B":"b"}}})";
  CHECK(test::faults(read_provider(object(twice), open_to)) == "/config/headers/a~0B");
}

TEST_CASE("the contract and the service have the same types of providers") {
  auto const body = [](std::string const& type) {
    return object(R"({"name":"n","type":")" + type + R"(","config":[]})");
  };
  for (std::size_t i = 0; i < notifications::provider_type_count; ++i) {
    std::string const type(name_of(static_cast<notifications::provider_type>(i)));
    CAPTURE(type);
    CHECK(test::faults(test::check("CreateNotificationProvider", body(type))) == "/config");
    CHECK(test::faults(test::check("UpdateNotificationProvider", object(R"({"type":")" + type + "\"}"))).empty());
  }
}

TEST_CASE("checks of a config that only the service can make") {
  struct {
    char const* type;
    std::string config;
    std::string wrong;
  } const cases[] = {
      {"webhook", R"({"url":"https://e.org","bodyTemplate":"{\"a\":\"{{title}}\"}"})", ""},
      {"webhook", R"({"url":"https://e.org","bodyTemplate":"{\"a\":\"{{secret}}\"}"})", "/config/bodyTemplate"},
      {"webhook", R"({"url":"https://e.org","bodyTemplate":"{"})", "/config/bodyTemplate"},
      {"webhook", R"({"url":"https://e.org","headers":{"Webhook-Id":"1"}})", "/config/headers/Webhook-Id"},
      {"webhook", R"({"url":"https://e.org:25/"})", "/config/url"},
      {"webhook", R"({"url":"https://10.0.0.1/"})", "/config/url"},
      {"webhook", R"({"url":"https://[::1]/"})", "/config/url"},
      {"slack", R"({"webhookUrl":"https://169.254.169.254/"})", "/config/webhookUrl"},
      {"webhook", R"({"url":"http://169.254.169.254/"})", ""},
      {"webhook", R"({"url":"https://0x7f.1/"})", "/config/url"},
      {"webhook", R"({"url":"https://8.8.8.8/"})", ""},
      {"ntfy", R"({"server":"https://10.0.0.1","topic":"t"})", "/config/server"},
      {"ntfy", R"({"server":"http://169.254.169.254","topic":"t"})", ""},
      {"ntfy", R"({"server":"https://e.org:25","topic":"t"})", "/config/server"},
      {"email", R"({"to":["a@b.example"]})", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    auto const body = object(R"({"name":"n","type":")" + std::string(c.type) + R"(","config":)" + c.config + "}");
    CHECK(test::faults(read_provider(body, open_to)) == c.wrong);
  }
  egress::address_policy const opened({cidr::parse("10.0.0.0/8").value()});
  auto const inside = object(R"({"name":"n","type":"slack","config":{"webhookUrl":"https://10.0.0.1/"}})");
  CHECK(read_provider(inside, opened).has_value());
}

TEST_CASE("the members that a config has by default are stored") {
  struct {
    char const* type;
    char const* config;
    char const* stored;
  } const cases[] = {
      {"ntfy", R"({"topic":"t"})", R"({"topic":"t","server":"https://ntfy.sh"})"},
      {"ntfy", R"({"topic":"t","server":"https://e.org"})", R"({"topic":"t","server":"https://e.org"})"},
      {"webhook", R"({"url":"https://e.org"})", R"({"url":"https://e.org","method":"POST"})"},
      {"webhook", R"({"url":"https://e.org","method":"PUT"})", R"({"url":"https://e.org","method":"PUT"})"},
      {"pagerduty", R"({"routingKey":"r"})", R"({"routingKey":"r"})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    auto const body = object(R"({"name":"n","type":")" + std::string(c.type) + R"(","config":)" + c.config + "}");
    CHECK(boost::json::parse(read_provider(body, open_to).value().config) == boost::json::parse(c.stored));
  }
}

TEST_CASE("a signing secret is made where the body asks for one") {
  auto const body =
      object(R"({"name":"n","type":"webhook","config":{"url":"https://e.org","signingSecret":"generate"}})");
  auto const made = [&] {
    return boost::json::value_to<std::string>(
        boost::json::parse(read_provider(body, open_to).value().config).at("signingSecret"));
  };
  CHECK(made().starts_with("whsec_"));
  CHECK(made() != made());
}

notification_provider webhook() {
  notification_provider made;
  made.name = "n";
  made.type = "webhook";
  made.config = R"({"url":"********","method":"POST","headers":{"X-Key":"********","X-Other":"********"}})";
  return made;
}

TEST_CASE("the read model names the masked members") {
  CHECK(test::shown(provider_json, webhook()).at("maskedFields") ==
        boost::json::parse(R"(["/config/url","/config/headers/X-Key","/config/headers/X-Other"])"));
  notification_provider email;
  email.type = "email";
  email.config = R"({"to":["a@b"]})";
  CHECK(test::shown(provider_json, email).at("maskedFields") == boost::json::array());
  CHECK(test::shown(provider_json, email).at("lastUsed").is_null());
}

TEST_CASE("the tag leaves out the last use, and nothing of the config") {
  auto const tag = [](notification_provider const& provider) { return test::tag_of(provider_json, provider); };
  auto used = webhook();
  used.last_used_at = timestamp{1'000'000};
  CHECK(tag(used) == tag(webhook()));
  used.config = R"({"url":"********","headers":{"lastUsed":"a"}})";
  auto other = used;
  other.config = R"({"url":"********","headers":{"lastUsed":"b"}})";
  CHECK(tag(used) != tag(other));
}

TEST_CASE("a patch keeps masked secrets, removes by null, and requires a whole config with a new type") {
  auto const kept = patch_provider(test::contract(), open_to, webhook(),
                                   object(R"({"name":"m","config":{"headers":{"X-Other":null}}})"));
  REQUIRE(kept.has_value());
  CHECK(kept->name == "m");
  CHECK(boost::json::parse(kept->config) ==
        boost::json::parse(R"({"url":"********","method":"POST","headers":{"X-Key":"********"}})"));

  auto const echoed =
      patch_provider(test::contract(), open_to, webhook(), object(R"({"config":{"url":"********","method":"PUT"}})"));
  REQUIRE(echoed.has_value());
  CHECK(boost::json::parse(echoed->config).at("url") == "********");

  CHECK(test::faults(patch_provider(test::contract(), open_to, webhook(), object(R"({"config":{"url":null}})"))) ==
        "/config/url");
  CHECK(test::faults(patch_provider(test::contract(), open_to, webhook(), object(R"({"type":"slack"})"))) ==
        "/config");
  CHECK(test::faults(patch_provider(test::contract(), open_to, webhook(),
                                    object(R"({"type":"slack","config":{"channel":"x"}})"))) == "/config/webhookUrl");
  auto const moved = patch_provider(test::contract(), open_to, webhook(),
                                    object(R"({"type":"slack","config":{"webhookUrl":"https://e.org"}})"));
  REQUIRE(moved.has_value());
  CHECK(moved->type == "slack");
  CHECK(boost::json::parse(moved->config) == boost::json::parse(R"({"webhookUrl":"https://e.org"})"));
}

TEST_CASE("a config that an older version accepted can still be switched off, and is checked when it changes") {
  auto old = webhook();
  old.config = R"({"url":"********","method":"POST","bodyTemplate":"{{nope}}"})";
  CHECK(patch_provider(test::contract(), open_to, old, object(R"({"enabled":false})")).has_value());
  CHECK(test::faults(patch_provider(test::contract(), open_to, old, object(R"({"config":{"method":"PUT"}})"))) ==
        "/config/bodyTemplate");
}

TEST_CASE("grouping and rate stay or are removed as usual, and a new type starts with its own") {
  auto grouped = webhook();
  grouped.group_seconds = 60;
  grouped.rate_per_minute = 5;
  CHECK(test::shown(provider_json, webhook()).at("groupSeconds") == 0);
  CHECK(test::shown(provider_json, grouped).at("groupSeconds") == 60);
  auto const patched = [&](char const* patch) {
    return patch_provider(test::contract(), open_to, grouped, object(patch)).value();
  };
  CHECK(patched(R"({"name":"m"})").group_seconds == 60);
  CHECK_FALSE(patched(R"({"groupSeconds":null,"ratePerMinute":null})").group_seconds);
  CHECK_FALSE(patched(R"({"groupSeconds":null,"ratePerMinute":null})").rate_per_minute);
  auto const pager = patched(R"({"type":"pagerduty","config":{"routingKey":"r"}})");
  CHECK_FALSE(pager.group_seconds);
  CHECK(pager.rate_per_minute == 5);
}

TEST_CASE("a masked secret of each type stays in a patch, and in a replacement that masks it or leaves it out") {
  struct {
    char const* type;
    char const* config;
    char const* secret;
  } const cases[] = {
      {"slack", R"({"webhookUrl":"********","channel":"a"})", "webhookUrl"},
      {"discord", R"({"webhookUrl":"********"})", "webhookUrl"},
      {"teams", R"({"webhookUrl":"********"})", "webhookUrl"},
      {"telegram", R"({"botToken":"********","chatId":"1"})", "botToken"},
      {"pagerduty", R"({"routingKey":"********"})", "routingKey"},
      {"webhook", R"({"url":"********","method":"POST"})", "url"},
      {"webhook", R"({"url":"********","method":"POST","signingSecret":"********"})", "signingSecret"},
      {"webhook", R"({"url":"********","method":"POST","headers":{"A":"********"}})", "headers"},
      {"ntfy", R"({"topic":"t","token":"********","server":"https://e.org"})", "token"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.type);
    CAPTURE(c.secret);
    notification_provider now;
    now.name = "n";
    now.type = c.type;
    now.config = c.config;
    auto const patched = patch_provider(test::contract(), open_to, now, object(R"({"enabled":false})"));
    REQUIRE(patched.has_value());
    CHECK(boost::json::parse(patched->config) == boost::json::parse(c.config));
    boost::json::object body{{"name", "n"}, {"type", c.type}, {"config", object(c.config)}};
    auto const masked = replace_provider(test::contract(), open_to, now, body);
    REQUIRE(masked.has_value());
    CHECK(boost::json::parse(masked->config) == boost::json::parse(c.config));
    body.at("config").as_object().erase(c.secret);
    auto const left_out = replace_provider(test::contract(), open_to, now, body);
    REQUIRE(left_out.has_value());
    CHECK(boost::json::parse(left_out->config) == boost::json::parse(c.config));
  }
}

TEST_CASE("a replacement has the whole config, but for secrets that it masks or leaves out") {
  auto now = webhook();
  now.config =
      R"({"url":"********","method":"PUT","bodyTemplate":"{}","headers":{"X-Key":"********"},"signingSecret":"********"})";
  now.group_seconds = 60;
  now.enabled = false;
  auto const replaced = [&](char const* config) {
    auto const body = object(R"({"name":"m","type":"webhook","config":)" + std::string(config) + "}");
    return replace_provider(test::contract(), open_to, now, body);
  };
  auto const bare = replaced("{}");
  REQUIRE(bare.has_value());
  CHECK(bare->name == "m");
  CHECK_FALSE(bare->enabled);
  CHECK(bare->group_seconds == 60);
  CHECK(boost::json::parse(bare->config) ==
        boost::json::parse(
            R"({"url":"********","headers":{"X-Key":"********"},"signingSecret":"********","method":"POST"})"));
  CHECK(boost::json::parse(replaced(R"({"headers":{"X-Key":"********","Y":"1"},"signingSecret":null})")->config) ==
        boost::json::parse(R"({"url":"********","headers":{"X-Key":"********","Y":"1"},"method":"POST"})"));
  CHECK(test::faults(replaced(R"({"channel":"#a"})")) == "/config/channel");
  auto const other = replace_provider(test::contract(), open_to, now,
                                      object(R"({"name":"m","type":"slack","config":{"channel":"#a"}})"));
  CHECK(test::faults(other) == "/config/webhookUrl");
}

}  // namespace
}  // namespace svc::api
