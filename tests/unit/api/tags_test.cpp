#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

using test::object;

TEST_CASE("valid and invalid tags") {
  struct {
    std::string name;
    boost::json::object body;
    std::string wrong;
  } const cases[] = {
      {"least", {{"name", "a"}}, ""},
      {"all characters", {{"name", "azAZ09_-"}, {"color", "#09afaf"}}, ""},
      {"40", {{"name", std::string(40, 'a')}}, ""},
      {"41", {{"name", std::string(41, 'a')}}, "/name"},
      {"empty", {{"name", ""}}, "/name"},
      {"none", {{"color", "#000000"}}, "/name"},
      {"space", {{"name", "a b"}}, "/name"},
      {"umlaut", {{"name", "\u00e4"}}, "/name"},
      {"capital colour", {{"name", "a"}, {"color", "#00000A"}}, "/color"},
      {"short colour", {{"name", "a"}, {"color", "#00000"}}, "/color"},
      {"no hash", {{"name", "a"}, {"color", "0000000"}}, "/color"},
      {"unknown member", {{"name", "a"}, {"slot", 1}}, "/slot"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(test::check("CreateTag", c.body)) == c.wrong);
  }
  CHECK(read_tag({{"name", "a"}}).color == "#808080");
}

TEST_CASE("a patch of a tag changes what it names") {
  tag const made{.set = {"smoke", "#123456"}};
  auto const patched = patch_tag(test::contract(), made, object(R"({"color":"#ffffff"})"));
  REQUIRE(patched.has_value());
  CHECK(patched->name == "smoke");
  CHECK(patched->color == "#ffffff");
  CHECK(patch_tag(test::contract(), made, object(R"({"color":null})"))->color == "#808080");
  CHECK(test::faults(patch_tag(test::contract(), made, object(R"({"name":null})"))) == "/name");
  CHECK(test::shown(tag_json, made).size() == 5);
}

}  // namespace
}  // namespace svc::api
