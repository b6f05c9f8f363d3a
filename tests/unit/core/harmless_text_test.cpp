// Texts of others, made harmless for any receiver.
#include "svc/core/harmless_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;

TEST_CASE("controls become blanks, changes of direction disappear, and broken bytes are replaced") {
  CHECK(one_line("a\x01\tb\x7F") == "a  b ");
  CHECK(one_line("a\r\nb\rc\nd\u2028e\u0085f") == "a b c d e f");
  CHECK(several_lines("a\r\nb\rc\u2029d") == "a\nb\nc\nd");
  CHECK(one_line("a\u202E\u2066\u200F\u061Cb") == "ab");
  CHECK(one_line("a\xFFz\xE2\x80") == "a\uFFFDz\uFFFD\uFFFD");
}

TEST_CASE("a cut text ends at a character and with three dots") {
  CHECK(cut("abc", 3) == "abc");
  CHECK(cut("abcd", 3) == "…");
  CHECK(cut("ääää", 7) == "ää…");
  CHECK(cut("\xFF", 3) == "\uFFFD");
}

TEST_CASE("a name without links has nothing that mail programs turn into a link") {
  CHECK(without_links("Ada Lovelace", 80) == "Ada Lovelace");
  CHECK(without_links("https://a.example/b?c", 80) == "https a. example b?c");
  CHECK(without_links("a@b.example\n<x>", 80) == "a b. example x");
  CHECK(without_links("www。a．example", 80) == "www. a. example");
  CHECK(without_links(std::string(100, 'a'), 80).size() <= 80);
}
