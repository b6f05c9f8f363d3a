#include "svc/store/monitors/monitor_secrets.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::store {
namespace {

boost::json::object config_of(std::string_view text) {
  return boost::json::parse(text).as_object();
}

TEST_CASE("the secrets of a monitor's config") {
  struct {
    std::string_view config;
    std::vector<std::string> expected;
  } const cases[] = {
      {"{}", {}},
      {R"({"auth":{"type":"basic","username":"u","password":"p"}})", {"/auth/password"}},
      {R"({"auth":{"type":"bearer","token":"t"}})", {"/auth/token"}},
      {R"({"auth":{"type":"bearer","token":"{{TOKEN}}"}})", {}},
      {R"({"auth":{"type":"bearer","token":"x{{TOKEN}}"}})", {"/auth/token"}},
      {R"({"auth":{"type":"bearer","token":"{{"}})", {"/auth/token"}},
      {R"({"headers":{"authorization":"a","Cookie":"b","X-Api-Key":"c","My~Token":"d","Accept":"e"}})",
       {"/headers/authorization", "/headers/Cookie", "/headers/X-Api-Key", "/headers/My~0Token"}},
      {R"({"headers":{"X-Secret":"{{A}}","Proxy-Authorization":"Basic x"}})", {"/headers/Proxy-Authorization"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    CHECK(secret_pointers_of_check(config_of(c.config)) == c.expected);
  }
}

TEST_CASE("a mask keeps a stored secret, unless the target has moved") {
  split_config const stored{config_of(R"({"auth":{"password":"********"}})"), config_of(R"({"/auth/password":"p"})")};
  auto const kept = take_check_secrets(config_of(R"({"auth":{"password":"********"}})"), stored, false);
  REQUIRE(kept.has_value());
  CHECK(kept->secrets == stored.secrets);
  auto const anew = take_check_secrets(config_of(R"({"auth":{"password":"q"}})"), stored, true);
  REQUIRE(anew.has_value());
  CHECK(boost::json::serialize(anew->shown) == R"({"auth":{"password":"********"}})");
  CHECK(anew->secrets.at("/auth/password") == "q");
  auto const moved = take_check_secrets(config_of(R"({"auth":{"password":"********"}})"), stored, true);
  REQUIRE(moved.has_error());
  CHECK(moved.error().details.front().field == "/config/auth/password");
  auto const unknown = take_check_secrets(config_of(R"({"headers":{"X-Key":"********"}})"), stored, false);
  REQUIRE(unknown.has_error());
  CHECK(unknown.error().details.front().field == "/config/headers/X-Key");
}

TEST_CASE("targets of another origin") {
  struct {
    std::string_view before, after;
    bool expected;
  } const cases[] = {
      {"https://a.test/", "https://a.test/other?x#y", false},
      {"https://a.test", "https://a.test?x", false},
      {"https://a.test/", "http://a.test/", true},
      {"https://a.test/", "https://a.test:444/", true},
      {"https://a.test/", "https://a.test.evil/", true},
      {"https://a.test/", "https://b.test/", true},
      {"https://a.test/", "https://b.test/https://a.test/", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.before);
    CAPTURE(c.after);
    CHECK(is_another_origin(c.before, c.after) == c.expected);
  }
}

}  // namespace
}  // namespace svc::store
