#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

using test::object;

TEST_CASE("valid and invalid tests") {
  std::size_t const most = 5 * 1024 * 1024;
  struct {
    std::string name;
    boost::json::object body;
    std::string wrong;
  } const cases[] = {
      {"least", object(R"({"title":"t"})"), ""},
      {"all", object(R"({"title":"t","description":"d","type":"api","priority":"low","script":"x"})"), ""},
      {"no title", object(R"({"type":"api"})"), "/title"},
      {"title of 256", {{"title", std::string(256, 't')}}, "/title"},
      {"type", object(R"({"title":"t","type":"shell"})"), "/type"},
      {"priority", object(R"({"title":"t","priority":1})"), "/priority"},
      {"unknown member", object(R"({"title":"t","tags":[]})"), "/tags"},
      {"script of 5 MiB", {{"title", "t"}, {"script", std::string(most, 'x')}}, ""},
      {"a byte more", {{"title", "t"}, {"script", std::string(most + 1, 'x')}}, "/script"},
      {"fewer characters, more bytes",
       {{"title", "t"}, {"script", std::string(most - 1, 'x') + "\u00e4"}},
       "/script"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(test::check("CreateTest", c.body)) == c.wrong);
  }
  CHECK(read_test(object(R"({"title":"t"})"))->type == "browser");
  CHECK(read_test(object(R"({"title":"t"})"))->priority == "medium");
}

TEST_CASE("a patch changes what it names; the script is handled separately") {
  test_case made;
  made.set = {"t", "d", "command", "high", "echo"};
  auto const patched = patch_test(test::contract(), made, object(R"({"title":"u","description":null})"));
  REQUIRE(patched.has_value());
  CHECK(patched->title == "u");
  CHECK_FALSE(patched->description);
  CHECK(patched->type == "command");
  CHECK(test::faults(patch_test(test::contract(), made, object(R"({"title":null})"))) == "/title");
  CHECK_FALSE(test::shown(test_json, made).contains("script"));
  CHECK(test::shown(test_json, made).at("tags") == boost::json::array());
}

TEST_CASE("which tags a test gets") {
  std::string const id = R"({"id":"01934F2E-7777-7d3e-9b1f-5a2c8e4d6f70"})";
  std::string const same = R"({"id":"01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70"})";
  struct {
    std::string name, body, wrong;
  } const cases[] = {
      {"none", R"({"tags":[]})", ""},
      {"one", R"({"tags":[)" + id + "]}", ""},
      {"in another spelling again", R"({"tags":[)" + id + "," + same + "]}", "/tags/1/id"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(read_tag_ids(object(c.body))) == c.wrong);
  }
}

}  // namespace
}  // namespace svc::api
