#include "domain/monitoring/checks/keyword.hpp"
#include "integration/egress/cost.hpp"
#include "svc/core/utf8.hpp"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <string>
#include <string_view>

namespace svc::checks {
namespace {

std::string in_utf8(char32_t c) {
  auto const byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

bool found_by_re2(std::string_view keyword, std::string_view body) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_literal(true);
  options.set_case_sensitive(false);
  re2::RE2 const pattern({keyword.data(), keyword.size()}, options);
  return re2::RE2::PartialMatch({body.data(), body.size()}, pattern);
}

/// Returns how often RE2 finds a character, in either case, in a text.
int count_by_re2(std::string const& character, std::string_view text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_literal(true);
  options.set_case_sensitive(false);
  re2::RE2 const pattern(character, options);
  re2::StringPiece rest(text.data(), text.size());
  int out = 0;
  while (re2::RE2::FindAndConsume(&rest, pattern)) ++out;
  return out;
}

TEST_CASE("a keyword is found where RE2 finds it") {
  struct {
    std::string keyword, body;
  } const cases[] = {
      {"aab", "aaaab"},
      {"aab", "aaaa"},
      {"abcabd", "abcabcabd"},
      {"abab", "ABAABAB"},
      {"k", "\xe2\x84\xaa"},  // the sign of Kelvin
      {"\xe2\x84\xaa", "OK"},
      {"s", "\xc5\xbf"},             // the long s
      {"\xc3\x9f", "\xe1\xba\x9e"},  // sharp s, small and capital
      {"i", "\xc4\xb0"},             // the capital dotted i of Turkish is another letter
      {"\xc4\xb1", "I"},
      {"\xcf\x82", "\xce\xa3"},  // both small sigmas
      {"ss", "\xc3\x9f"},
      {"ab",
       "a\xff"
       "b"},
      {"ab",
       "\xe2\x84"
       "ab"},  // a character that was cut
      {"\xe2\x84\xaa", "\xe2\x84"},
      {"a", "\xc1\xa1"},  // longer than it need be
      {std::string("a\0b", 3), std::string("xA\0B", 4)},
      {"\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},  // beyond the basic plane
      {"ab", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.keyword);
    CAPTURE(c.body);
    CHECK(keyword::make(c.keyword)->found_in(c.body) == found_by_re2(c.keyword, c.body));
  }
  for (auto const* text : {"", "\xff", "a\xc3", "\xed\xa0\x80"}) CHECK_FALSE(keyword::make(text));
}

TEST_CASE("all characters have the cases that RE2 knows") {
  std::vector<std::vector<char32_t>> groups(0x110000);
  std::string cased;
  for (char32_t c = 0; c <= 0x10FFFF; ++c)
    if (folded(c) != c) groups[folded(c)].push_back(c);
  for (char32_t c = 0; c < groups.size(); ++c) {
    if (groups[c].empty()) continue;
    CHECK(folded(c) == c);
    cased += in_utf8(c);
    for (auto const other : groups[c]) cased += in_utf8(other);
  }
  int different = 0;
  for (char32_t c = 0; c < groups.size(); ++c)
    if (!groups[c].empty() && count_by_re2(in_utf8(c), cased) != static_cast<int>(groups[c].size()) + 1) ++different;
  CHECK(different == 0);
  // A character without a pair here has no pair in RE2 either.
  for (char32_t c = 0x80; c < 0x20000; ++c) {
    if (folded(c) != c || !groups[c].empty() || (c >= 0xD800 && c < 0xE000)) continue;
    if (count_by_re2(in_utf8(c), cased) != 0) ++different;
    c += c > 0x3000 ? 16 : 0;
  }
  CHECK(different == 0);
}

TEST_CASE("a keyword of one letter repeated costs milliseconds in a large body of that letter") {
  // There is no match: the body has one letter less than the keyword between its others.
  std::string const letters(999, 'k');
  std::string body;
  while (body.size() < 4UL * 1024 * 1024) body.append(letters).push_back('x');
  auto const sought = keyword::make(std::string(1000, 'k'));
  auto const before = test::cpu_used();
  CHECK_FALSE(sought->found_in(body));
  auto const plain = test::cpu_used() - before;
  std::string kelvins;
  while (kelvins.size() < 4UL * 1024 * 1024) kelvins += "\xe2\x84\xaa\xe2\x84\xaa\xe2\x84\xaax";
  CHECK_FALSE(sought->found_in(kelvins));
  auto const folded = test::cpu_used() - before - plain;
  MESSAGE("CPU in µs: ", plain.count(), " of ASCII, ", folded.count(), " of others");
  // RE2 took 46 s. The bound leaves room for the sanitizers without optimisation (0.6 s), on a busy machine.
  CHECK(plain < std::chrono::seconds(5));
  CHECK(folded < std::chrono::seconds(5));
}

}  // namespace
}  // namespace svc::checks
