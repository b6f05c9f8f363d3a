#include "svc/core/toml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace svc;

TEST_CASE("characters that a TOML file may not contain are found before the parser sees them") {
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
      {"letters", "# ä\na = \"ä\"\nä = 1", 0},
      {"no UTF-8", "a = 1\nb = '\xc3'\n", 2},
      {"a surrogate", "a = '\xed\xa0\x80'", 1},
      {"byte order mark", "\xef\xbb\xbf# a\n", 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(line_of_foreign_character(c.text) == c.line);
  }
}

TEST_CASE("a file becomes ASCII with the same lines, and converts back completely") {
  std::string const texts[] = {"", "a = 1\n", "ä = \"ö\" # ü\n\n'€' = '\xf0\x9f\x99\x82'\n", "~byte-0:ä~byte-1",
                               "~byte-0ä:"};
  for (auto const& text : texts) {
    CAPTURE(text);
    ascii_toml const file(text);
    CHECK(std::ranges::all_of(file.text(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    CHECK(std::ranges::count(file.text(), '\n') == std::ranges::count(text, '\n'));
    CHECK(file.restored(file.text()) == text);
  }
  CHECK(ascii_toml("\xef\xbb\xbf# a\n").text() == "# a\n");
  CHECK(ascii_toml("ä").restored("what is cut ~byte-0:c") == "what is cut c");
}

TEST_CASE("mistakes in a TOML file are said without the parser's words, with the key of their line") {
  struct {
    std::string text, expected;
  } const cases[] = {
      {"a\n", "f:1: an equals sign must follow the key (letters, digits, - and _): a = \"text\""},
      {"b =\n", "f:1: the value is missing: b = \"text\""},
      {"a = 1\na = 2\n", "f:2: a is set twice: keep one of them"},
      {"[a]\n[a]\n", "f:2: the section [a] is there twice: put all of its keys below one of them"},
      {"a = true\n[a]\n", "f:2: a is there as a key and as a section: remove one of them"},
      {"a = \"C:\\dir\"\n",
       "f:1: a backslash between double quotes must be written twice; or use single quotes: a = 'text'"},
      {"a = 'x' 'y'\n", "f:1: something follows the value: each key has a line of its own"},
      {"a = ['x' 'y']\n", "f:1: a list needs commas between its texts and a bracket at its end: a = [\"a\", \"b\"]"},
      {"a = 10.0.0.1:80\n", "f:1: the value is not understood; a text needs quotes: a = \"text\""},
      {"a = no\n", "f:1: the value is not understood; a text needs quotes: a = \"text\""},
      {"a b = 1\n", "f:1: an equals sign must follow the key (letters, digits, - and _): KEY = \"text\", not 'b'"},
      {"! = 1\n", "f:1: a key has letters, digits, - and _ only, and its value follows: KEY = \"text\", not '!'"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    std::vector<std::string> problems;
    read_toml_text("f", c.text, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0] == c.expected);
  }
}

TEST_CASE("the description of a place names the letter there") {
  struct {
    char const* name;
    std::string text, said;
    std::size_t line, column;
    std::string expected;
  } const cases[] = {
      {"first", "ä = 1", "saw '~'", 1, 1, "saw 'ä'"},
      {"in a later line", "a = 1\n\nb€c = 1\n", "saw '~'", 3, 2, "saw '€'"},
      {"after another one", "\"ä\".ö = 1", "saw '~'", 1, 24, "saw 'ö'"},
      {"after a word", "a = truä", "saw 'tru~'", 1, 8, "saw 'truä'"},
      {"the tilde itself", "~ä = 1", "saw '~'", 1, 1, "saw '~'"},
      {"another character", "a! = 'ä'", "saw '!'", 1, 2, "saw '!'"},
      {"nothing seen", "a = ä", "no value", 1, 5, "no value"},
      {"after the end of a line", "a\nä", "saw '~'", 1, 9, "saw '~'"},
      {"after the last line", "ä", "saw '~'", 3, 1, "saw '~'"},
      {"no place", "ä", "saw '~'", 0, 0, "saw '~'"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(ascii_toml(c.text).described(c.said, c.line, c.column) == c.expected);
  }
}
