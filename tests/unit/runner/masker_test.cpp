#include "runner/masker.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using svc::runner::masker;
using svc::runner::secret_patterns;

namespace {

masker of(std::vector<std::string> const& secrets) {
  return masker(std::make_shared<secret_patterns const>(secrets));
}

std::string in_pieces(std::vector<std::string> const& secrets, std::string const& text, std::size_t size) {
  auto m = of(secrets);
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
  auto m = of({"aaaa"});
  std::size_t shown = 0;
  for (int i = 0; i < 1000; ++i) shown += m.feed("aaaaaaaaaaaaaaaa").size();
  CHECK(shown + m.finish().size() == 3);
}

TEST_CASE("what cannot begin a secret is shown at once") {
  auto m = of({"secret"});
  CHECK(m.feed("hello s") == "hello ");
  CHECK(m.feed("ay") == "say");
  CHECK(m.feed("sec") == "");
  CHECK(m.finish() == "sec");
}

TEST_CASE("a secret is masked however it is spelled, wherever the stream is cut") {
  std::string const secret = "p\xC3\xA4ss/w \"r>?~1\n&";
  struct {
    char const* name;
    std::string text, shown;
  } const cases[] = {
      {"plain", "<" + secret + ">", "<***>"},
      // printf 'p\u00e4ss/w "r>?~1\n&' | base64; then behind one and two bytes, and with more behind it.
      {"base64", "<cMOkc3MvdyAicj4/fjEKJg==>", "<***>"},
      {"base64 for addresses", "<cMOkc3MvdyAicj4_fjEKJg>", "<***>"},
      {"base64 behind one byte", "<eHDDpHNzL3cgInI+P34xCiY=>", "<eH***>"},
      {"base64 behind two bytes, another behind it", "<eHhww6Rzcy93ICJyPj9+MQomeA==>", "<eHh***eA==>"},
      {"hexadecimal", "<70c3a473732f77202272 70c3a473732f772022723e3f7e310a26>", "<70c3a473732f77202272 ***>"},
      {"hexadecimal, upper case", "<70C3A473732F772022723E3F7E310A26>", "<***>"},
      {"percent", "<p%C3%A4ss%2Fw%20%22r%3E%3F~1%0A%26>", "<***>"},
      {"percent, lower case", "<p%c3%a4ss%2fw%20%22r%3e%3f~1%0a%26>", "<***>"},
      {"percent of a form", "<p%C3%A4ss%2Fw+%22r%3E%3F%7E1%0A%26>", "<***>"},
      {"percent of a path", "<p%C3%A4ss/w%20%22r%3E%3F~1%0A%26>", "<***>"},
      {"JSON", "<p\xC3\xA4ss/w \\\"r>?~1\\n&>", "<***>"},
      {"JSON in ASCII", "<p\\u00e4ss/w \\\"r>?~1\\n&>", "<***>"},
      {"JSON in ASCII, slashes", "<p\\u00E4ss\\/w \\\"r>?~1\\n&>", "<***>"},
  };
  for (auto const& c : cases) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      CAPTURE(c.name);
      CAPTURE(size);
      CHECK(in_pieces({secret}, c.text, size) == c.shown);
    }
  }
}

TEST_CASE("base64 of a long secret is masked in lines of 64 and 76") {
  std::string const secret(100, 'k');
  auto const line = [](std::size_t groups) {
    std::string out;
    for (std::size_t i = 0; i < groups; ++i) out += "a2tr";
    return out;
  };
  CHECK(in_pieces({secret}, line(19) + "\n" + line(14) + "aw==\n", 7) == "***\n***\n");
  CHECK(in_pieces({secret}, line(16) + "\n" + line(16) + "\n" + line(1) + "aw==\n", 7) == "***\n***\n***\n");
}

TEST_CASE("short secrets are masked as they are and in no other spelling") {
  CHECK(in_pieces({"12345"}, "12345 3132333435 MTIzNDU=", 3) == "*** 3132333435 MTIzNDU=");
  CHECK(in_pieces({"123456"}, "123456 313233343536 MTIzNDU2", 3) == "*** *** ***");
}

TEST_CASE("secrets that are too long together keep their plain text masked, and are counted") {
  std::string const longest(secret_patterns::most_encoded / 8, 'x');
  secret_patterns const patterns({"short secret", longest});
  CHECK(patterns.unencoded() == 1);
  CHECK(in_pieces({"short secret", longest}, longest + " 73686f727420736563726574 73686f7274207365637265740a",
                  65536) == "*** *** ***0a");
}
