#include "app/admin/actions.hpp"

#include <doctest/doctest.h>

using namespace svc;
using app::admin::to_text;
namespace json = boost::json;

TEST_CASE("readable output: lines for members, an aligned table for rows") {
  struct {
    char const* name;
    json::value body;
    std::string expected;
  } const cases[] = {
      {"members", json::value{{"id", "1"}, {"enabled", true}, {"expiresAt", nullptr}},
       "id:         1\nenabled:    true\nexpiresAt:  -\n"},
      {"rows", json::array{json::object{{"id", "1"}, {"name", "a"}}, json::object{{"id", "22"}, {"name", "Ä"}}},
       "id  name\n1   a\n22  Ä\n"},
      {"width counts characters, not bytes",
       json::array{json::object{{"name", "Ä"}, {"x", 1}}, json::object{{"name", "ab"}, {"x", 2}}},
       "name  x\nÄ     1\nab    2\n"},
      {"no rows", json::array{}, "none\n"},
      {"members and rows", json::value{{"total", 1}, {"rows", json::array{json::object{{"id", "1"}}}}},
       "total:  1\nid\n1\n"},
      {"a member that the first row lacks is left out",
       json::array{json::object{{"id", "1"}}, json::object{{"name", "b"}}}, "id\n1\n-\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(to_text(c.body) == c.expected);
  }
}

TEST_CASE("a refusal prints its sentence and a line for each place") {
  CHECK(to_text(error(errc::validation_failed, "Nothing was imported.", {{"line 2", "kind"}, {"line 3", "name"}})) ==
        "Nothing was imported.\n  line 2: kind\n  line 3: name\n");
  CHECK(to_text(error(errc::name_taken)).size() > 10);
}
