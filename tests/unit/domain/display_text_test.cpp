// Names as people see them: characters that nobody can see, and lengths.
#include "svc/domain/display_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using namespace svc;

namespace {

/// Encodes a code point as UTF-8.
std::string utf8_of(std::uint32_t point) {
  auto const tail = [&](unsigned shift) { return static_cast<char>(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0U | (point >> 6U)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0U | (point >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (point >> 18U)), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("names have no control characters, changes of direction or invisible characters") {
  std::pair<std::uint32_t, std::uint32_t> const hidden[] = {
      {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x200B, 0x200B},
      {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F},
  };
  for (auto const& [first, last] : hidden)
    for (auto point = first; point <= last; ++point) {
      CAPTURE(point);
      CHECK(has_hidden_character("a" + utf8_of(point) + "b"));
      CHECK(has_hidden_character(utf8_of(point)));
    }
  // Their neighbours, the selectors of variants, and letters of many scripts.
  for (std::uint32_t const point : {0x20U,   0x7EU,   0xA0U,   0xACU,   0xAEU,    0x061BU,  0x061EU,  0x0628U,
                                    0x05D0U, 0x0915U, 0x200AU, 0x2010U, 0x2027U,  0x202FU,  0x205FU,  0x2070U,
                                    0x3042U, 0x845BU, 0xFE0FU, 0xFEFEU, 0x1F469U, 0xE0100U, 0xE01EFU, 0x10FFFFU}) {
    CAPTURE(point);
    CHECK_FALSE(has_hidden_character("a" + utf8_of(point) + "b"));
  }
  CHECK_FALSE(has_hidden_character(""));
}

TEST_CASE("joiners are allowed where scripts and emoji need them, and hide nothing between ASCII characters") {
  struct {
    std::string text;
    bool hides;
  } const rows[] = {
      {"\u0646\u0645\u06CC\u200C\u062F\u0627\u0646\u0645", false},  // Persian
      {"\u0915\u094D\u200D\u0937", false},                          // Devanagari
      {"\U0001F469\u200D\U0001F4BB", false},                        // an emoji of two
      {"\U0001F3F3\uFE0F\u200D\U0001F308", false},                  // with a selector
      {"Ad\u200Ca", true},
      {"\u0646\u200Ca", true},
      {"a\u200C\u0646", true},
      {"\u200D\u0646", true},
      {"\u0646\u200D", true},
      {"\u0646\u200D\u200D\u0646", true},
      {"\u200C", true},
      {"\xFF", true},
      {"\xE2\x80", true},
      {"\xED\xA0\x80", true},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CHECK(has_hidden_character(row.text) == row.hides);
  }
}

TEST_CASE("names are trimmed and bounded in characters, not bytes") {
  CHECK(*checked_name("  ci \t") == "ci");
  std::string const umlauts = [] {
    std::string s;
    for (int i = 0; i < 100; ++i) s += "\xC3\xA4";
    return s;
  }();
  CHECK(checked_name(umlauts).has_value());
  CHECK_FALSE(checked_name(umlauts + "x").has_value());
  for (std::string bad : {std::string(), std::string("   "), std::string("a\nb"), std::string("a\x7f"),
                          std::string("a\xC2\x85"), std::string("Ada\xE2\x80\xAE")}) {
    CAPTURE(bad);
    auto const r = checked_name(bad);
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().code == errc::validation_failed);
    CHECK(r.error().details.at(0).field == "/name");
  }
}
