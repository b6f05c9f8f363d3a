#include "svc/core/masker.hpp"

#include "secret_spellings.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using svc::masker;
using svc::secret_patterns;
using svc::secret_string;

namespace {

masker of(std::vector<std::string> const& secrets) {
  std::vector<secret_string> boxed;
  for (auto const& each : secrets) boxed.emplace_back(each);
  return masker(std::make_shared<secret_patterns const>(boxed));
}

std::string in_pieces(std::vector<std::string> const& secrets, std::string const& text, std::size_t size) {
  auto m = of(secrets);
  std::string out;
  for (std::size_t position = 0; position < text.size(); position += size)
    out += m.feed(std::string_view(text).substr(position, size));
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

TEST_CASE("text that cannot be the start of a secret is shown at once") {
  auto m = of({"secret"});
  CHECK(m.feed("hello, s") == "hello, ");
  CHECK(m.feed("ay.") == "say.");
  CHECK(m.feed("sec") == "");
  CHECK(m.finish() == "sec");
}

TEST_CASE("a secret is masked in every spelling, wherever the stream is cut") {
  std::string const secret = "p\xC3\xA4ss/w \"r>?~1\n&";
  struct {
    char const* name;
    std::string text, shown;
  } const cases[] = {
      {"plain", "<" + secret + ">", "<***>"},
      // printf 'p\u00e4ss/w "r>?~1
      // &' | base64; then after one and two bytes, and with more after it.
      {"base64", "<cMOkc3MvdyAicj4/fjEKJg==>", "<***>"},
      {"base64 for addresses", "<cMOkc3MvdyAicj4_fjEKJg>", "<***>"},
      {"base64 after one byte", "<eHDDpHNzL3cgInI+P34xCiY=>", "<e***>"},
      {"base64 after two bytes, another after it", "<eHhww6Rzcy93ICJyPj9+MQomeA==>", "<eH***eA==>"},
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

TEST_CASE("line breaks and indentation inside a spelling do not prevent masking") {
  struct {
    char const* name;
    std::string secret, text, shown;
  } const cases[] = {
      {"base64", "password", "<cGFz\nc3dv\r\ncmQ=\n>", "<***\n>"},
      {"base64, its padding in a line of its own", "password", "<cGFzc3dvcmQ\n=\n>", "<***\n=\n>"},
      {"base64, indented", "password", "<cGFz\n    c3dv\n    cmQ=>", "<***>"},
      {"base64, joined by a shell", "password", "<cGFz c3dv cmQ=>", "<***>"},
      // printf 'A=password\nB=2\n' | base64
      {"base64 among other text", "password", "<QT1w\nYXNz\nd29y\nZApCPTIK\n>", "<QT***pCPTIK\n>"},
      {"base64, each character alone", "password", "<c\nG\nF\nz\nc\n3\nd\nv\nc\nm\nQ\n>", "<c\n***\n>"},
      {"hexadecimal", "password", "<70617373\n776f7264\n>", "<***\n>"},
      {"hexadecimal, broken in a pair", "password", "<7061737\n3776f7264\n>", "<***\n>"},
      {"hexadecimal, of od", "password", " 70 61 73 73 77 6f 72 64\n", " ***\n"},
      {"hexadecimal, of openssl", "password", "<70:61:73:73:\n    77:6F:72:64>", "<***>"},
      {"percent", "p\xC3\xA4sswd", "<p%C3%\nA4ss\nwd>", "<***>"},
      {"JSON", "p\xC3\xA4sswd", "<p\\u0\n0e4s\nswd>", "<***>"},
      {"plain", "password", "<pass\nword>", "<***>"},
      {"plain, too short for it", "passw", "<pass\nw>", "<pass\nw>"},
      {"an empty line more than any program puts there", "password", "<cGFz" + std::string(65, '\n') + "c3dvcmQ=>",
       "<cGFz" + std::string(65, '\n') + "c3dvcmQ=>"},
  };
  for (auto const& c : cases) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      CAPTURE(c.name);
      CAPTURE(size);
      CHECK(in_pieces({c.secret}, c.text, size) == c.shown);
    }
  }
}

TEST_CASE("every spelling is masked whole, in lines of any width") {
  std::vector<std::string> const secrets{"k9-\xC3\xB6+/ \"x\\y\"\xF0\x9F\x94\x91?&=", std::string(99, 'k') + "\n\x01",
                                         "sixsix", std::string(1000, '\xff')};
  for (auto const& secret : secrets) {
    for (auto const& spelled : svc::secret_spellings(secret)) {
      for (std::size_t const width : {3U, 10U, 60U, 64U, 76U, 5000U}) {
        std::string text = "<";
        for (std::size_t position = 0; position < spelled.size(); position += width)
          text += spelled.substr(position, width) + "\n";
        CAPTURE(text);
        auto const shown = in_pieces({secret}, text + ">", 7);
        // The rest of the characters of a first byte after a break, and the end of the last line.
        CHECK(shown.size() < 16);
        CHECK(shown.find(masker::mask) != std::string::npos);
      }
    }
  }
}

TEST_CASE("a line is held back while a secret may continue in the next one, but not when no more text follows") {
  auto m = of({"password"});
  CHECK(m.feed("usual line\n") == "usual line\n");
  CHECK(!m.holds_line());
  CHECK(m.feed("<cGFz\n") == "<");
  CHECK(m.holds_line());
  CHECK(m.release() == "cGFz\n");
  CHECK(!m.holds_line());
  CHECK(m.feed("c3dvcmQ=\n") == "***\n");
  // Eight bytes of the secret cannot be a coincidence.
  auto sure = of({"a longer password"});
  CHECK(sure.feed("<YSBsb25nZXIg\n") == "<");
  CHECK(sure.release().empty());
  CHECK(sure.feed("cGFzc3dvcmQ=>") == "***>");
  // An incomplete line waits, as always.
  auto open = of({"password"});
  CHECK(open.feed("<cGFz\nc3") == "<");
  CHECK(open.release() == "cGFz\n");
  CHECK(open.feed("dvcmQ=>") == "***>");
  CHECK(open.feed("<cGFz\n") == "<");
  CHECK(open.finish() == "cGFz\n");
}

TEST_CASE("an endless spelling is not held for ever") {
  auto m = of({std::string(2 * masker::most_held, '\0')});
  std::string const zeros(4096, 'A');
  std::size_t most = 0, came = 0, shown = 0;
  while (came < 3 * masker::most_held) {
    shown += m.feed(zeros).size();
    came += zeros.size();
    most = std::max(most, came - shown);
  }
  CHECK(most <= masker::most_held);
  CHECK(shown + m.finish().size() == came);
}

TEST_CASE("short secrets are masked as they are, but in no other spelling") {
  CHECK(in_pieces({"12345"}, "12345 3132333435 MTIzNDU=", 3) == "*** 3132333435 MTIzNDU=");
  CHECK(in_pieces({"123456"}, "123456 313233343536 MTIzNDU2", 3) == "*** *** ***");
}

/// The maximum that a project may have: 200 variables, 256 KiB together. A runner itself must limit more than that.
TEST_CASE("many long secrets are found, and how long that takes") {
  struct {
    std::string name;
    std::size_t count, size;
  } const cases[] = {{"a project's most", 200, 256UL * 1024 / 200}, {"a runner's most", 104, 10'000}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::vector<secret_string> secrets;
    for (std::size_t i = 0; i < c.count; ++i) secrets.emplace_back(svc::random_alphanumeric(c.size));
    auto const begun = svc::steady::now();
    auto const patterns = std::make_shared<secret_patterns const>(secrets);
    auto const built = svc::steady::now();
    masker m(patterns);
    std::string text;
    while (text.size() < 16384) text += svc::random_alphanumeric(75) + "\n";
    auto shown = m.feed(text);
    auto const fed = svc::steady::now();
    std::string const last(secrets.back().reveal());
    for (std::size_t position = 0; position < last.size(); position += 76)
      shown += m.feed(last.substr(position, 76) + "\n");
    shown += m.finish();
    CHECK(shown.find(last.substr(0, 16)) == std::string::npos);
    CHECK(shown.find(last.substr(last.size() - 16)) == std::string::npos);
    auto const ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
    MESSAGE(c.name << ": built in " << ms(built - begun) << " ms, 16 KiB masked in " << ms(fed - built) << " ms");
  }
}
