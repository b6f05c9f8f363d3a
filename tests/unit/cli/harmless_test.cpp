#include "cli/console/harmless.hpp"

#include "svc/core/utf8.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc::cli;

TEST_CASE("control sequences become visible, and plain characters pass") {
  struct {
    char const* name;
    std::string text;
    std::string expected;
    bool colours = false;
    bool lines = false;
  } const cases[] = {
      {"plain", "Grüße, 世界 👍", "Grüße, 世界 👍"},
      {"empty", "", ""},
      {"escape", "a\x1b[2Jb", "a\\x1b[2Jb"},
      {"title of the window", "\x1b]0;x\x07", "\\x1b]0;x\\x07"},
      {"NUL and DEL", std::string("a\0b\x7f", 4), "a\\x00b\\x7f"},
      {"C1, CSI in one character",
       "\xc2\x9b"
       "2J",
       "\\x9b2J"},
      {"the last of C1, and the next", "\xc2\x9f\xc2\xa0", "\\x9f\xc2\xa0"},
      {"byte that is no UTF-8", "a\x9b\xff", "a\\x9b\\xff"},
      {"cut character", "a\xe4\xb8", "a\\xe4\\xb8"},
      {"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"overlong", "\xc0\x9b", "\\xc0\\x9b"},
      {"right-to-left override",
       "a\xe2\x80\xae"
       "txt.exe",
       "a\\u202etxt.exe"},
      {"isolates", "\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
      {"beside them", "\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
      {"line separator", "a\xe2\x80\xa8", "a\\u2028"},
      {"carriage return", "100%\rok", "100%\\rok"},
      {"tab passes", "a\tb", "a\tb"},
      {"line end", "a\nb", "a\\nb"},
      {"line end, kept", "a\nb\r\n", "a\nb\\r\n", false, true},
      {"colours, not kept", "\x1b[31mred", "\\x1b[31mred"},
      {"colours, kept", "\x1b[1;31mred\x1b[0m\x1b[m", "\x1b[1;31mred\x1b[0m\x1b[m", true},
      {"colours of 24 bits", "\x1b[38:2::1:2:3mx", "\x1b[38:2::1:2:3mx", true},
      {"another sequence beside colours", "\x1b[31m\x1b[1Ax", "\x1b[31m\\x1b[1Ax", true},
      {"private SGR", "\x1b[>4;1mx", "\\x1b[>4;1mx", true},
      {"unfinished SGR", "\x1b[31", "\\x1b[31", true},
      {"SGR that is too long", "\x1b[" + std::string(100, '1') + "m", "\\x1b[" + std::string(100, '1') + "m", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const out = harmless(c.text, c.colours, c.lines);
    CHECK(out == c.expected);
    CHECK(svc::is_utf8(out));
  }
}

TEST_CASE("columns are those that a terminal takes") {
  struct {
    char const* name;
    std::string text;
    std::size_t columns;
  } const cases[] = {
      {"empty", "", 0},
      {"letters", "abc", 3},
      {"umlaut", "für", 3},
      {"combining accent", "e\u0301a", 2},
      {"Chinese", "世界", 4},
      {"fullwidth letter", "Ａ", 2},
      {"halfwidth katakana", "ｱ", 1},
      {"Hangul syllable", "한", 2},
      {"Hangul from its letters", "\u1112\u1161\u11ab", 2},
      {"ambiguous", "±§", 2},
      {"emoji", "👍", 2},
      {"emoji with a skin", "👍🏽", 2},
      {"family, joined", "👨‍👩‍👧", 2},
      {"flag", "🇩🇪", 2},
      {"two flags", "🇩🇪🇫🇷", 4},
      {"heart as a picture", "❤️", 2},
      {"zero width space", "a\u200bb", 2},
      {"colours", "\x1b[1;31mred\x1b[0m", 3},
      {"tab", "a\tb", 10},
      {"no UTF-8", "\xff\xfe", 2},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(columns_of(c.text) == c.columns);
  }
}

TEST_CASE("a text is shortened between graphemes, to its columns, with an ellipsis") {
  struct {
    char const* name;
    std::string text;
    std::size_t columns;
    std::string expected;
  } const cases[] = {
      {"fits", "abc", 3, "abc"},
      {"takes no column", "\u200d", 0, "\u200d"},
      {"one too long", "abcd", 3, "ab…"},
      {"no room", "abc", 0, ""},
      {"room for the ellipsis", "abc", 1, "…"},
      {"wide, even", "世界世", 4, "世…"},
      {"wide, odd", "世界世", 5, "世界…"},
      {"wide fits", "世界", 4, "世界"},
      {"accent stays with its letter", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
      {"accent behind the last that fits", "abe\u0301", 3, "abe\u0301"},
      {"family is not cut", "ab👨‍👩‍👧cd", 4, "ab…"},
      {"colours end", "\x1b[31mabcd", 3, "\x1b[31mab…\x1b[0m"},
      {"colours take no room", "\x1b[31mabc\x1b[0m", 3, "\x1b[31mabc\x1b[0m"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const out = shortened(c.text, c.columns);
    CHECK(out == c.expected);
    CHECK(columns_of(out) <= c.columns);
  }
}

TEST_CASE("a text can be pasted as one word of a shell") {
  struct {
    char const* text;
    char const* word;
  } const table[] = {
      {"nightly", "nightly"},
      {"01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70", "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70"},
      {"closed port", "'closed port'"},
      {"it's", "'it'\\''s'"},
      {"$(reboot)", "'$(reboot)'"},
      {"a\nb", "'a\\nb'"},
      {"", "''"},
  };
  for (auto const& each : table) {
    CAPTURE(std::string(each.text));
    CHECK(shell_word(each.text) == each.word);
  }
}
