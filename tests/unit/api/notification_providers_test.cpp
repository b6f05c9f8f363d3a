#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/faults.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

using test::object;

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
  CHECK(test::faults(read_provider(object(twice))) == "/config/headers/a~0B");
}

notification_provider webhook() {
  notification_provider made;
  made.name = "n";
  made.type = "webhook";
  made.config = R"({"url":"********","method":"POST","headers":{"X-Key":"********","X-Other":"********"}})";
  return made;
}

TEST_CASE("the read model names what is masked") {
  CHECK(test::shown(provider_json, webhook()).at("maskedFields") ==
        boost::json::parse(R"(["/config/url","/config/headers/X-Key","/config/headers/X-Other"])"));
  notification_provider email;
  email.type = "email";
  email.config = R"({"to":["a@b"]})";
  CHECK(test::shown(provider_json, email).at("maskedFields") == boost::json::array());
  CHECK(test::shown(provider_json, email).at("lastUsed").is_null());
}

TEST_CASE("the tag leaves out the last use, and nothing of the config") {
  auto const tag = [](notification_provider const& of) { return test::tag_of(provider_json, of); };
  auto used = webhook();
  used.last_used_at = timestamp{1'000'000};
  CHECK(tag(used) == tag(webhook()));
  used.config = R"({"url":"********","headers":{"lastUsed":"a"}})";
  auto other = used;
  other.config = R"({"url":"********","headers":{"lastUsed":"b"}})";
  CHECK(tag(used) != tag(other));
}

TEST_CASE("a patch keeps masked secrets, removes by null, and requires a whole config with a new type") {
  auto const kept =
      patch_provider(test::contract(), webhook(), object(R"({"name":"m","config":{"headers":{"X-Other":null}}})"));
  REQUIRE(kept.has_value());
  CHECK(kept->name == "m");
  CHECK(boost::json::parse(kept->config) ==
        boost::json::parse(R"({"url":"********","method":"POST","headers":{"X-Key":"********"}})"));

  auto const echoed =
      patch_provider(test::contract(), webhook(), object(R"({"config":{"url":"********","method":"PUT"}})"));
  REQUIRE(echoed.has_value());
  CHECK(boost::json::parse(echoed->config).at("url") == "********");

  CHECK(test::faults(patch_provider(test::contract(), webhook(), object(R"({"config":{"url":null}})"))) ==
        "/config/url");
  CHECK(test::faults(patch_provider(test::contract(), webhook(), object(R"({"type":"slack"})"))) == "/config");
  CHECK(test::faults(patch_provider(test::contract(), webhook(),
                                    object(R"({"type":"slack","config":{"channel":"x"}})"))) == "/config/webhookUrl");
  auto const moved = patch_provider(test::contract(), webhook(),
                                    object(R"({"type":"slack","config":{"webhookUrl":"https://e.org"}})"));
  REQUIRE(moved.has_value());
  CHECK(moved->type == "slack");
  CHECK(boost::json::parse(moved->config) == boost::json::parse(R"({"webhookUrl":"https://e.org"})"));
}

}  // namespace
}  // namespace svc::api
