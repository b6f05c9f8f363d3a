#include "postgres/wire.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

using namespace svc;
using namespace svc::postgres;

namespace {

byte_vector hex(std::string_view text) {
  return from_hex(text).value();
}

/// Returns a reader's result for hexadecimal bytes, or "refused".
template <class Decode>
std::string read(Decode decode, std::uint32_t oid, std::string_view bytes) {
  byte_vector const raw = hex(bytes);
  try {
    return decode(cell{oid, raw});
  } catch (std::logic_error const&) {
    return "refused";
  }
}

struct example {
  char const* name;
  std::uint32_t oid;
  char const* bytes;
  std::string expected;
};

void check(std::vector<example> const& cases, std::function<std::string(cell)> const& decode) {
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(read(decode, c.oid, c.bytes) == c.expected);
  }
}

std::string join(auto const& items, auto print) {
  std::string out;
  for (auto const& item : items) out += print(item) + ",";
  return out;
}

}  // namespace

TEST_CASE("integers of each width, at their limits") {
  check({{"int2 min", type::int2, "8000", "-32768"},
         {"int2 max", type::int2, "7fff", "32767"},
         {"int4 min", type::int4, "80000000", "-2147483648"},
         {"int4 -1", type::int4, "ffffffff", "-1"},
         {"int4 max", type::int4, "7fffffff", "2147483647"},
         {"int8 min", type::int8, "8000000000000000", "-9223372036854775808"},
         {"int8 0", type::int8, "0000000000000000", "0"},
         {"int8 max", type::int8, "7fffffffffffffff", "9223372036854775807"},
         {"int4 short", type::int4, "000000", "refused"},
         {"int4 long", type::int4, "0000000000", "refused"},
         {"int8 empty", type::int8, "", "refused"},
         {"text", type::text, "31", "refused"},
         {"float8", type::float8, "0000000000000000", "refused"}},
        [](cell c) { return std::to_string(decode_integer(c)); });
}

TEST_CASE("text and types that count as text") {
  check({{"text", type::text, "6162", "ab"},
         {"empty", type::text, "", ""},
         {"varchar", type::varchar, "61", "a"},
         {"name", type::name, "61", "a"},
         {"enum", type::first_user_defined, "61", "a"},
         {"last built-in", type::first_user_defined - 1, "61", "refused"},
         {"json", type::json, "5b5d", "[]"},
         {"jsonb loses its version", type::jsonb, "015b5d", "[]"},
         {"jsonb of another version", type::jsonb, "025b5d", "refused"},
         {"jsonb empty", type::jsonb, "", "refused"},
         {"bytea", type::bytea, "61", "refused"},
         {"int4", type::int4, "00000001", "refused"}},
        [](cell c) { return std::string(decode_text(c)); });
}

TEST_CASE("booleans, floating point, bytes and uuids") {
  check({{"true", type::boolean, "01", "1"},
         {"false", type::boolean, "00", "0"},
         {"two bytes", type::boolean, "0100", "refused"},
         {"int2", type::int2, "01", "refused"}},
        [](cell c) { return std::to_string(static_cast<int>(decode_boolean(c))); });
  check({{"float4", type::float4, "bfc00000", "-1.500000"},
         {"float8", type::float8, "3ff8000000000000", "1.500000"},
         {"infinity", type::float8, "7ff0000000000000", "inf"},
         {"float8 short", type::float8, "3ff80000", "refused"},
         {"float4 long", type::float4, "3ff8000000000000", "refused"}},
        [](cell c) { return std::to_string(decode_real(c)); });
  check(
      {{"bytea", type::bytea, "00ff", "00ff"}, {"empty", type::bytea, "", ""}, {"text", type::text, "61", "refused"}},
      [](cell c) { return to_hex(decode_bytes(c)); });
  std::string const id = "0123456789abcdef0123456789abcdef";
  check({{"uuid", type::uuid, id.c_str(), id},
         {"15 bytes", type::uuid, "0123456789abcdef0123456789abcd", "refused"},
         {"17 bytes", type::uuid, "0123456789abcdef0123456789abcdef01", "refused"},
         {"bytea", type::bytea, id.c_str(), "refused"}},
        [](cell c) { return to_hex(decode_uuid(c).bytes); });
}

TEST_CASE("timestamps change their epoch, and those out of range are refused") {
  check({{"2000-01-01", type::timestamptz, "0000000000000000", "946684800000000"},
         {"1970-01-01", type::timestamptz, "fffca2fec4c82000", "0"},
         {"one before", type::timestamptz, "fffca2fec4c81fff", "-1"},
         {"infinity", type::timestamptz, "7fffffffffffffff", "refused"},
         {"-infinity", type::timestamptz, "8000000000000000", "refused"},
         {"lowest", type::timestamptz, "8000000000000001", "-9222425352054775807"},
         {"highest that fits", type::timestamptz, "7ffca2fec4c81fff", "9223372036854775807"},
         {"one above", type::timestamptz, "7ffca2fec4c82000", "refused"},
         {"seven bytes", type::timestamptz, "00000000000000", "refused"},
         {"timestamp without zone", 1114, "0000000000000000", "refused"}},
        [](cell c) { return std::to_string(decode_time(c).micros); });
}

TEST_CASE("arrays: complete, of one dimension, of the right type, without NULL") {
  auto numbers = [](cell c) { return join(decode_integers(c), [](std::int64_t n) { return std::to_string(n); }); };
  std::string const head = "000000010000000000000014";
  check({{"empty", 1016, "000000000000000000000014", ""},
         {"one", 1016,
          (head + "0000000100000001"
                  "00000008ffffffffffffffff")
              .c_str(),
          "-1,"},
         {"two", 1016,
          (head + "0000000200000001"
                  "000000080000000000000001"
                  "000000080000000000000002")
              .c_str(),
          "1,2,"},
         {"NULL", 1016,
          (head + "0000000100000001"
                  "ffffffff")
              .c_str(),
          "refused"},
         {"two dimensions", 1016,
          "000000020000000000000014"
          "00000001000000010000000100000001",
          "refused"},
         {"int4[]", 1007, "000000000000000000000017", "refused"},
         {"count too high", 1016,
          (head + "ffffffff00000001"
                  "000000080000000000000001")
              .c_str(),
          "refused"},
         {"bytes left", 1016,
          (head + "0000000100000001"
                  "000000080000000000000001"
                  "00")
              .c_str(),
          "refused"},
         {"no array at all", type::int8, "0000000000000001", "refused"},
         {"nothing", 1016, "", "refused"}},
        numbers);
  auto texts = [](cell c) { return join(decode_texts(c), [](std::string const& s) { return "<" + s + ">"; }); };
  check({{"text", 1009,
          "000000010000000000000019"
          "0000000200000001"
          "00000000"
          "0000000161",
          "<>,<a>,"},
         {"enum", 99999,
          "000000010000000000004000"
          "0000000100000001"
          "0000000161",
          "<a>,"},
         {"uuid[]", 2951, "000000000000000000000b86", "refused"}},
        texts);
  auto ids = [](cell c) { return join(decode_uuids(c), [](uuid const& u) { return to_hex(u.bytes); }); };
  check({{"uuid", 2951,
          "000000010000000000000b86"
          "0000000100000001"
          "000000100123456789abcdef0123456789abcdef",
          "0123456789abcdef0123456789abcdef,"},
         {"text[]", 1009, "000000000000000000000019", "refused"}},
        ids);
}

TEST_CASE("an array cut anywhere is refused") {
  byte_vector const whole =
      hex("000000010000000000000014"
          "0000000100000001"
          "00000008ffffffffffffffff");
  REQUIRE(decode_integers({1016, whole}) == std::vector<std::int64_t>{-1});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    CHECK_THROWS_AS(decode_integers({1016, byte_view(whole).first(n)}), std::logic_error);
  }
}
