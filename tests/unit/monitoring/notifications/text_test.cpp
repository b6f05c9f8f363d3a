#include "monitoring/notifications/text.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::notifications;
using namespace std::chrono_literals;

TEST_CASE("names from users are on one line, without control and direction characters") {
  struct {
    std::string_view given, line, lines;
  } const table[] = {
      {"plain", "plain", "plain"},
      {"a\r\nb\nc\rd", "a b c d", "a\nb\nc\nd"},
      {"a\u2028b\u2029c\u0085d", "a b c d", "a\nb\nc\nd"},
      {std::string_view("a\0\x1b[31m\x7f", 8), "a  [31m ", "a  [31m "},
      {"gpj\u202E.exe\u2066\u200F", "gpj.exe", "gpj.exe"},
      {"bad \xff\xc3 utf", "bad \uFFFD\uFFFD utf", "bad \uFFFD\uFFFD utf"},
      {"Zürich 😀", "Zürich 😀", "Zürich 😀"},
      {"", "", ""},
  };
  for (auto const& row : table) {
    CAPTURE(row.given);
    CHECK(one_line(row.given) == row.line);
    CHECK(several_lines(row.given) == row.lines);
  }
}

TEST_CASE("texts are cut at a character and end with an ellipsis") {
  struct {
    std::string_view text;
    std::size_t most;
    std::string_view wanted;
  } const table[] = {
      {"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc…"}, {"äöüä", 8, "äöüä"},
      {"äöüä", 7, "äö…"},      {"äöüä", 6, "ä…"},      {"😀😀", 7, "😀…"},
      {"😀😀", 6, "…"},        {"abcdef", 3, "…"},     {"\xff\xff", 6, "\uFFFD\uFFFD"},
  };
  for (auto const& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.most);
    CHECK(cut(row.text, row.most) == row.wanted);
  }
}

TEST_CASE("escaped texts are cut by the units that they take, never inside of an escape") {
  struct {
    std::string_view text;
    std::size_t most;
    escape escape;
    std::string_view wanted;
  } const table[] = {
      {"abc", 3, as_is, "abc"},
      {"abcd", 3, as_is, "ab…"},
      {"😀😀", 4, as_is, "😀😀"},
      {"😀😀", 3, as_is, "😀…"},
      {"a<b", 6, escape_html, "a&lt;b"},
      {"a<b", 5, escape_html, "a…"},
      {"a<b>", 7, escape_html, "a&lt;b…"},
      {"*a", 3, escape_discord, "\\*a"},
      {"a*", 2, escape_discord, "a…"},
      {"ab", 0, as_is, ""},
      {"ab", 1, as_is, "…"},
      {"", 0, as_is, ""},
  };
  for (auto const& row : table) {
    CAPTURE(row.text);
    CAPTURE(row.most);
    auto const out = fitted(row.text, row.most, row.escape);
    CHECK(out == row.wanted);
    CHECK(units_of(out) <= row.most);
  }
}

TEST_CASE("lengths of time as people read them") {
  struct {
    std::chrono::microseconds length;
    std::string_view wanted;
  } const table[] = {{0s, "0 s"},          {-5s, "0 s"},     {59s, "59 s"},       {60s, "1 min"},
                     {723s, "12 min 3 s"}, {1h, "1 h"},      {1h + 59s, "1 h"},   {3h + 5min, "3 h 5 min"},
                     {24h, "1 d"},         {52h, "2 d 4 h"}, {24h + 30min, "1 d"}};
  for (auto const& row : table) CHECK(readable(row.length) == row.wanted);
  CHECK(readable(timestamp{1'795'000'000'123'456}) == "2026-11-18 11:06:40 UTC");
}
