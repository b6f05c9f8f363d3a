#include "svc/store/delivery/provider_store.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

namespace svc::store {
namespace {

boost::json::object object(std::string const& text) {
  return boost::json::parse(text).as_object();
}

TEST_CASE("which members are secret") {
  struct {
    char const* type;
    char const* config;
    std::vector<std::string> expected;
  } const cases[] = {
      {"email", R"({"to":["a@b"],"url":"x"})", {}},
      {"slack", R"({"webhookUrl":"u","channel":"c"})", {"/webhookUrl"}},
      {"discord", R"({"webhookUrl":"u"})", {"/webhookUrl"}},
      {"teams", R"({"webhookUrl":"u"})", {"/webhookUrl"}},
      {"telegram", R"({"botToken":"t","chatId":"c"})", {"/botToken"}},
      {"webhook", R"({"url":"u","method":"PUT"})", {"/url"}},
      {"webhook", R"({"url":"u","headers":{"a":"1","b~c":"2"}})", {"/url", "/headers/a", "/headers/b~0c"}},
      {"webhook", R"({"url":"u","signingSecret":"s"})", {"/url", "/signingSecret"}},
      {"pagerduty", R"({"routingKey":"r","region":"eu"})", {"/routingKey"}},
      {"ntfy", R"({"server":"s","topic":"t","priority":4})", {}},
      {"ntfy", R"({"server":"s","topic":"t","token":"k"})", {"/token"}},
      {"unknown", R"({"":"a","url":"u"})", {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    CHECK(secret_pointers(c.type, object(c.config)) == c.expected);
  }
}

TEST_CASE("taking secrets out and putting them back") {
  auto const whole = object(R"({"url":"u","method":"PUT","headers":{"a":"1","b~c":"2"}})");
  auto const split = take_secrets("webhook", whole, {});
  REQUIRE(split.has_value());
  CHECK(boost::json::value(split->shown) ==
        boost::json::parse(R"({"url":"********","method":"PUT","headers":{"a":"********","b~c":"********"}})"));
  CHECK(boost::json::serialize(split->secrets).find("PUT") == std::string::npos);
  CHECK(split->secrets.size() == 3);
  CHECK(put_secrets("webhook", *split) == whole);
}

std::string outcome_of(char const* type, char const* config, split_config const& stored) {
  auto const split = take_secrets(type, object(config), stored);
  if (split) return boost::json::serialize(split->secrets);
  std::string out;
  CHECK(split.error().code == errc::validation_failed);
  for (auto const& each : split.error().details) out += each.field + ": " + each.message + "; ";
  return out;
}

TEST_CASE("a mask keeps the stored secret, a removed one is deleted, a mask of nothing is refused") {
  split_config const stored{{}, object(R"({"/url":"old","/headers/a":"1","/headers/b":"2"})")};
  CHECK(outcome_of("webhook", R"({"url":"********","headers":{"a":"new"}})", stored) ==
        R"({"/url":"old","/headers/a":"new"})");
  CHECK(outcome_of("webhook", R"({"url":"x","headers":{"c":"********"}})", stored) ==
        "/config/headers/c: is the mask of a secret that is not stored; ");
}

TEST_CASE("secrets are never sent to an address that they were not given for") {
  std::string const anew = " must be given again or removed: it was given for the old address; ";
  split_config const hook{{}, object(R"({"/url":"https://old","/headers/a":"1","/headers/b":"2"})")};
  split_config const chat{object(R"({"chatId":"1"})"), object(R"({"/botToken":"t"})")};
  split_config const ntfy{object(R"({"server":"https://s","topic":"t"})"), object(R"({"/token":"k"})")};
  split_config const slack{object(R"({"channel":"c"})"), object(R"({"/webhookUrl":"u"})")};
  struct {
    char const* name;
    char const* type;
    char const* config;
    split_config const& stored;
    std::string expected;
  } const cases[] = {
      {"the address stays masked", "webhook", R"({"url":"********","headers":{"a":"********"}})", hook,
       R"({"/url":"https://old","/headers/a":"1"})"},
      {"the same address", "webhook", R"({"url":"https://old","headers":{"a":"********"}})", hook,
       R"({"/url":"https://old","/headers/a":"1"})"},
      {"another one", "webhook", R"({"url":"https://new","headers":{"a":"********","b":"********"}})", hook,
       "/config/headers/a:" + anew + "/config/headers/b:" + anew},
      {"another one, one header given", "webhook", R"({"url":"https://new","headers":{"a":"3","b":"********"}})",
       hook, "/config/headers/b:" + anew},
      {"another one, all given", "webhook", R"({"url":"https://new","headers":{"a":"3"}})", hook,
       R"({"/url":"https://new","/headers/a":"3"})"},
      {"another path", "webhook", R"({"url":"https://old/","headers":{"a":"********"}})", hook,
       "/config/headers/a:" + anew},
      {"the same chat", "telegram", R"({"botToken":"********","chatId":"1"})", chat, R"({"/botToken":"t"})"},
      {"another chat", "telegram", R"({"botToken":"********","chatId":"2"})", chat, "/config/botToken:" + anew},
      {"another chat, token given", "telegram", R"({"botToken":"n","chatId":"2"})", chat, R"({"/botToken":"n"})"},
      {"the same topic, another priority", "ntfy",
       R"({"server":"https://s","topic":"t","token":"********","priority":5})", ntfy, R"({"/token":"k"})"},
      {"another topic", "ntfy", R"({"server":"https://s","topic":"u","token":"********"})", ntfy,
       "/config/token:" + anew},
      {"another server", "ntfy", R"({"server":"https://r","topic":"t","token":"********"})", ntfy,
       "/config/token:" + anew},
      {"another server, token given", "ntfy", R"({"server":"https://r","topic":"t","token":"n"})", ntfy,
       R"({"/token":"n"})"},
      {"another channel at the same address", "slack", R"({"webhookUrl":"********","channel":"d"})", slack,
       R"({"/webhookUrl":"u"})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome_of(c.type, c.config, c.stored) == c.expected);
  }
}

TEST_CASE("a signing secret that is replaced stays in addition to the new one, only at its address") {
  struct {
    char const* name;
    char const* config;
    char const* stored;
    char const* expected;
  } const cases[] = {
      {"replaced", R"({"url":"********","signingSecret":"new"})", R"({"/url":"u","/signingSecret":"old"})",
       R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})"},
      {"replaced by itself", R"({"url":"********","signingSecret":"old"})", R"({"/url":"u","/signingSecret":"old"})",
       R"({"/url":"u","/signingSecret":"old"})"},
      {"the former one stays", R"({"url":"u","signingSecret":"********"})",
       R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})",
       R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})"},
      {"replaced again", R"({"url":"********","signingSecret":"newer"})",
       R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})",
       R"({"/url":"u","/signingSecret":"newer","former /signingSecret":"new"})"},
      {"taken away", R"({"url":"********"})", R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})",
       R"({"/url":"u"})"},
      {"at another address", R"({"url":"elsewhere","signingSecret":"mine"})",
       R"({"/url":"u","/signingSecret":"new","former /signingSecret":"old"})",
       R"({"/url":"elsewhere","/signingSecret":"mine"})"},
      {"sent elsewhere", R"({"url":"elsewhere","signingSecret":"********"})",
       R"({"/url":"u","/signingSecret":"old"})",
       "/config/signingSecret: must be given again or removed: it was given for the old address; "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome_of("webhook", c.config, {{}, object(c.stored)}) == c.expected);
  }
}

}  // namespace
}  // namespace svc::store
