#include "runner/masker.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using svc::runner::masker;

namespace {

std::string in_pieces(std::vector<std::string> const& secrets, std::string const& text, std::size_t size) {
  masker m(secrets);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += size) out += m.feed(std::string_view(text).substr(at, size));
  return out + m.finish();
}

}  // namespace

TEST_CASE("secrets are masked wherever the stream is cut") {
  struct {
    char const* name;
    std::vector<std::string> secrets;
    std::string text;
    std::string shown;
  } const cases[] = {
      {"none", {}, "plain", "plain"},
      {"empty ones mask nothing", {""}, "plain", "plain"},
      {"one", {"abc"}, "xabcx", "x***x"},
      {"alone", {"abc"}, "abc", "***"},
      {"twice", {"abc"}, "abcabc", "******"},
      {"a beginning only", {"abc"}, "xabx ab", "xabx ab"},
      {"two that overlap are one", {"abcd", "cdef"}, "xabcdefx", "x***x"},
      {"one inside another", {"bc", "abcd"}, "xabcdx bcx", "x***x ***x"},
      {"a longer one that stops short", {"abc", "abcdef"}, "abcdex", "***dex"},
      {"itself repeated", {"aa"}, "xaaaaax", "x***x"},
      {"a single character", {"a"}, "banana", "b***n***n***"},
      {"line by line", {"first line\nsecond line"}, "first line second line", "*** ***"},
      {"with its line feed", {"first line\nsecond line"}, "first line\nsecond line\n", "***\n"},
      {"a line feed at its end", {"value\n"}, "value value\n", "*** ***"},
      {"short lines of a long one stay", {"{\nlonger\n}"}, "{ longer }", "{ *** }"},
      {"bytes",
       {"\xff\x01"},
       "a\xff\x01"
       "b",
       "a***b"},
  };
  for (auto const& c : cases) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      CAPTURE(c.name);
      CAPTURE(size);
      CHECK(in_pieces(c.secrets, c.text, size) == c.shown);
    }
  }
}

TEST_CASE("a stream that never stops looking like a secret is not held back") {
  masker m({"aaaa"});
  std::size_t shown = 0;
  for (int i = 0; i < 1000; ++i) shown += m.feed("aaaaaaaaaaaaaaaa").size();
  CHECK(shown + m.finish().size() == 3);
}

TEST_CASE("what cannot begin a secret is shown at once") {
  masker m({"secret"});
  CHECK(m.feed("hello s") == "hello ");
  CHECK(m.feed("ay") == "say");
  CHECK(m.feed("sec") == "");
  CHECK(m.finish() == "sec");
}
