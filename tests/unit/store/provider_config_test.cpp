#include "svc/store/provider_config.hpp"

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

TEST_CASE("a mask keeps the stored secret, a removed one is forgotten, a mask of nothing is refused") {
  auto const stored = object(R"({"/url":"old","/headers/a":"1","/headers/b":"2"})");
  auto const split = take_secrets("webhook", object(R"({"url":"********","headers":{"a":"new"}})"), stored);
  REQUIRE(split.has_value());
  CHECK(boost::json::value(split->secrets) == boost::json::parse(R"({"/url":"old","/headers/a":"new"})"));

  auto const refused = take_secrets("webhook", object(R"({"url":"x","headers":{"c":"********"}})"), stored);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::validation_failed);
  REQUIRE(refused.error().details.size() == 1);
  CHECK(refused.error().details[0].field == "/config/headers/c");
}

}  // namespace
}  // namespace svc::store
