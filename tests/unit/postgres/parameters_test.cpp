#include "svc/postgres/query.hpp"

#include "postgres/wire.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

using namespace svc;
using postgres::parameters;

namespace {

parameters::value only(parameters const& p) {
  REQUIRE(p.values().size() == 1);
  return p.values().front();
}

}  // namespace

TEST_CASE("each kind of value has its form") {
  uuid id;
  id.bytes.fill(0xAB);
  std::string const uuid_bytes(16, '\xAB');
  std::string const nul("a\0b", 3);
  struct {
    char const* name;
    parameters parameters;
    std::string bytes;
    bool null, binary;
  } const cases[] = {
      {"null", parameters(nullptr), "", true, false},
      {"text", parameters("abc"), "abc", false, false},
      {"shared text", parameters(std::make_shared<std::string>("abc")), "abc", false, false},
      {"shared text with a NUL byte goes whole", parameters(std::make_shared<std::string>(nul)), nul, false, true},
      {"no shared text", parameters(std::shared_ptr<std::string>()), "", true, false},
      {"empty text is not null", parameters(std::string_view()), "", false, false},
      {"text with a NUL byte goes whole", parameters(nul), nul, false, true},
      {"number", parameters(-5), "-5", false, false},
      {"lowest", parameters(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808", false, false},
      {"true", parameters(true), "t", false, false},
      {"false", parameters(false), "f", false, false},
      {"uuid", parameters(id), uuid_bytes, false, true},
      {"bytes", parameters(byte_vector{0, 1}), std::string("\0\1", 2), false, true},
      {"optional with", parameters(std::optional<std::string>("x")), "x", false, false},
      {"optional without", parameters(std::optional<std::int64_t>()), "", true, false},
      {"moment", parameters(timestamp{postgres::epoch_offset_micros + 1}), std::string("\0\0\0\0\0\0\0\1", 8), false,
       true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const v = only(c.parameters);
    CHECK(v.content() == c.bytes);
    CHECK(v.null == c.null);
    CHECK(v.binary == c.binary);
  }
}

TEST_CASE("values keep their order") {
  parameters const p(1, "two", nullptr, true);
  REQUIRE(p.values().size() == 4);
  CHECK(p.values()[0].bytes == "1");
  CHECK(p.values()[1].bytes == "two");
  CHECK(p.values()[2].null);
  CHECK(p.values()[3].bytes == "t");
}

TEST_CASE("timestamps at the limit of the change of epoch") {
  auto constexpr lowest = std::numeric_limits<std::int64_t>::min() + postgres::epoch_offset_micros;
  CHECK_THROWS_AS(parameters(timestamp{lowest}), std::logic_error);
  CHECK_THROWS_AS(parameters(timestamp{std::numeric_limits<std::int64_t>::min()}), std::logic_error);
  CHECK(to_hex(as_bytes(only(parameters(timestamp{lowest + 1})).bytes)) == "8000000000000001");
  CHECK(to_hex(as_bytes(only(parameters(timestamp{std::numeric_limits<std::int64_t>::max()})).bytes)) ==
        "7ffca2fec4c81fff");
}

TEST_CASE("arrays of text quote every element") {
  using texts = std::vector<std::string>;
  struct {
    char const* name;
    texts items;
    char const* literal;
  } const cases[] = {{"empty", {}, "{}"},
                     {"one empty", {""}, R"({""})"},
                     {"plain", {"a", "b"}, R"({"a","b"})"},
                     {"the word NULL", {"NULL"}, R"({"NULL"})"},
                     {"braces and commas", {"{a,b}"}, R"({"{a,b}"})"},
                     {"quote and backslash", {"\"\\"}, R"({"\"\\"})"}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(only(parameters(c.items)).bytes == c.literal);
  }
}

TEST_CASE("arrays of numbers and uuids are binary") {
  auto const numbers = only(parameters(std::vector<std::int64_t>{-1}));
  CHECK(numbers.binary);
  CHECK(to_hex(as_bytes(numbers.bytes)) ==
        "0000000100000000000000140000000100000001"
        "00000008ffffffffffffffff");
  CHECK(to_hex(as_bytes(only(parameters(std::vector<std::int64_t>{})).bytes)) == "000000000000000000000014");
  auto const ids = only(parameters(std::vector<uuid>{uuid{}}));
  CHECK(ids.bytes.size() == 40);
  CHECK(to_hex(as_bytes(ids.bytes))
            .starts_with("000000010000000000000b86"
                         "0000000100000001"
                         "00000010"));
}

TEST_CASE("an array of many rows has the type of their values, in binary form") {
  std::vector<int> const none, entry{7}, two{0, 1};
  auto const made = [](auto const& rows, auto const& value) {
    parameters out;
    out.add_array(rows, value);
    CHECK(only(out).binary);
    return to_hex(as_bytes(only(out).bytes));
  };
  auto const text = [](int i) { return i == 0 ? std::string_view() : std::string_view("a\0b", 3); };
  auto const bytes = [](int i) { return i == 0 ? byte_view() : as_bytes("\xff"); };
  CHECK(made(none, text) == "000000000000000000000019");
  CHECK(made(two, text) ==
        "0000000100000000000000190000000200000001"
        "00000000"
        "00000003610062");
  CHECK(made(none, bytes) == "000000000000000000000011");
  CHECK(made(two, bytes) ==
        "0000000100000000000000110000000200000001"
        "00000000"
        "00000001ff");
  CHECK(made(two, [](int i) { return i == 1; }) ==
        "0000000100000000000000100000000200000001"
        "0000000100"
        "0000000101");
  CHECK(made(entry, [](int i) { return std::int64_t{i}; }) ==
        "0000000100000000000000140000000100000001"
        "000000080000000000000007");
  CHECK(made(entry, [](int) { return std::string("x"); }) ==
        "0000000100000000000000190000000100000001"
        "0000000178");
}
