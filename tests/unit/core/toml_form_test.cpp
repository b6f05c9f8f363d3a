#include "core/toml_form.hpp"

#include <doctest/doctest.h>

#include <string>

using svc::line_of_foreign_character;

TEST_CASE("characters that a TOML file may not hold are found before the parser sees them") {
  struct {
    char const* name;
    std::string text;
    std::size_t line;
  } const cases[] = {
      {"nothing", "", 0},
      {"ASCII", "a = 1\r\n\tb = 'x'\n", 0},
      {"control in a key", "a = 1\n[\x1f\x1f]\n", 2},
      {"DEL in a comment", "# \x7f\n", 1},
      {"NUL in a string", std::string("a = \"\0\"\n", 8), 1},
      {"letter as a key", "\n\nä = 1\n", 3},
      {"letter behind a value", "a = 1 ä\n", 1},
      {"in a comment", "a = 1 # ä\nb = 2\n", 0},
      {"in a string", "a = \"ä\"\n", 0},
      {"behind an escaped quote", "a = \"\\\"ä\"\n", 0},
      {"behind a string", "a = \"x\" ä\n", 1},
      {"in a literal, where a backslash is one", "a = 'x\\' ä\n", 1},
      {"in a string of many lines", "a = \"\"\"\n\"ä\n\"\"\"\n", 0},
      {"behind one", "a = '''\n'''\nä", 3},
      {"a string that is not closed ends with its line", "a = \"x\nä\n", 2},
      {"between quotes inside a value", "a = 197v-0'''ä'''\n", 1},
      {"between quotes inside a key", "a'ä' = 1\n", 1},
      {"in a part of a key, in a list, in a table", "a.'ä' = ['ä','ä', {'ä' = 'ä'}]\n", 0},
      {"behind a backslash", "a = \"\"\"\n\\ä\"\"\"\n", 2},
      {"behind a backslash that ends its line", "a = \"\"\"\\\n  ä\"\"\"\n", 2},
      {"behind an escaped backslash", "a = \"\\\\ä\"\n", 0},
      {"byte order mark", "\xef\xbb\xbf# a\n", 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(line_of_foreign_character(c.text) == c.line);
  }
}
