#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

using test::object;

TEST_CASE("valid and invalid variables") {
  struct {
    std::string name;
    boost::json::object body;
    std::string wrong;
  } const cases[] = {
      {"least", {{"key", "A"}, {"value", ""}}, ""},
      {"all", {{"key", "A_1"}, {"value", "v"}, {"isSecret", true}, {"description", "d"}}, ""},
      {"64", {{"key", std::string(64, 'A')}, {"value", ""}}, ""},
      {"65", {{"key", std::string(65, 'A')}, {"value", ""}}, "/key"},
      {"small letter", {{"key", "Aa"}, {"value", ""}}, "/key"},
      {"digit first", {{"key", "1A"}, {"value", ""}}, "/key"},
      {"nothing", {}, "/key /value"},
      {"value of 10000", {{"key", "A"}, {"value", std::string(10'000, 'x')}}, ""},
      {"value of 10001", {{"key", "A"}, {"value", std::string(10'001, 'x')}}, "/value"},
      {"description of 301", {{"key", "A"}, {"value", ""}, {"description", std::string(301, 'x')}}, "/description"},
      {"unknown member", {{"key", "A"}, {"value", ""}, {"x", 1}}, "/x"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(test::check("CreateVariable", c.body)) == c.wrong);
  }
}

TEST_CASE("names that the service, a shell or a runtime uses are reserved") {
  struct {
    std::string key;
    bool reserved;
  } const cases[] = {{"PATH", true},         {"HOME", true},        {"BASH_ENV", true},    {"ENV", true},
                     {"NODE_OPTIONS", true}, {"SERVICE_URL", true}, {"SVC_A", true},       {"LD_PRELOAD", true},
                     {"SERVICE_", true},     {"PATHS", false},      {"MY_PATH", false},    {"SERVICE", false},
                     {"SVCA", false},        {"LDFLAGS", false},    {"ENVIRONMENT", false}};
  for (auto const& c : cases) {
    CAPTURE(c.key);
    CHECK(test::faults(read_variable({{"key", c.key}, {"value", ""}})) == (c.reserved ? "/key" : ""));
    CHECK(is_reserved_variable(c.key) == c.reserved);
  }
}

TEST_CASE("a patch keeps the value it does not name, and opens no secret") {
  variable const secret{.key = "A", .is_secret = true};
  variable const plain{.key = "A", .value = "old"};
  struct {
    std::string name;
    variable const& variable;
    std::string patch, wrong;
    std::optional<std::string> value;
  } const cases[] = {
      {"description", secret, R"({"description":"d"})", "", std::nullopt},
      {"new value", secret, R"({"value":"new"})", "", "new"},
      {"opened", secret, R"({"isSecret":false})", "/value", std::nullopt},
      {"opened by null", secret, R"({"isSecret":null})", "/value", std::nullopt},
      {"opened with a value", secret, R"({"isSecret":false,"value":"new"})", "", "new"},
      {"made secret", plain, R"({"isSecret":true})", "", std::nullopt},
      {"no value", plain, R"({"value":null})", "/value", std::nullopt},
      {"reserved", plain, R"({"key":"PATH"})", "/key", std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const patched = patch_variable(test::contract(), c.variable, object(c.patch));
    CHECK(test::faults(patched) == c.wrong);
    if (!patched) continue;
    CHECK(patched->value.has_value() == c.value.has_value());
    if (c.value) CHECK(patched->value->reveal() == *c.value);
  }
}

TEST_CASE("a secret is shown without its value") {
  CHECK_FALSE(test::shown(variable_json, variable{.key = "A", .is_secret = true}).contains("value"));
  CHECK(test::shown(variable_json, variable{.key = "A", .value = "v"}).at("value") == "v");
}

}  // namespace
}  // namespace svc::api
