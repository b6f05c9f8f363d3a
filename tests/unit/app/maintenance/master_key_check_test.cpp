#include "app/maintenance/master_key_check.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

TEST_CASE("master keys that wrap data keys and are not in the file are named, with the number of projects") {
  struct {
    std::vector<store::master_key_use> uses;
    std::vector<std::string> held;
    char const* expected;
  } const cases[] = {
      {{}, {"a"}, ""},
      {{{"a", 5}}, {"a"}, ""},
      {{{"a", 5}, {"b", 2}}, {"b", "a", "c"}, ""},
      {{{"b", 1}},
       {"a"},
       "/k lacks the master key b, which wraps the data keys of 1 project: their secrets cannot be read. Add the key "
       "as a further line, from its backup"},
      {{{"c", 2}, {"a", 7}, {"b", 1}},
       {"a"},
       "/k lacks the master key b, c, which wraps the data keys of 3 projects: their secrets cannot be read. Add the "
       "key as a further line, from its backup"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.expected);
    CHECK(find_missing(c.uses, c.held).sentence("/k") == c.expected);
  }
}

}  // namespace
}  // namespace svc::app
