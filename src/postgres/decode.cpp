#include "postgres/decode.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace svc::postgres {

namespace {

[[noreturn]] void refuse(cell c, char const* wanted) {
  throw std::logic_error("type " + std::to_string(c.type) + " with " + std::to_string(c.bytes.size()) +
                         " bytes is no " + wanted);
}

bool is_text(std::uint32_t oid) {
  switch (oid) {
    case type::text:
    case type::varchar:
    case type::name:
    case type::bpchar:
    case type::char1:
    case type::unknown:
    case type::json:
      return true;
    default:
      return oid >= type::first_user_defined;
  }
}

void require(cell c, std::uint32_t oid, std::size_t length, char const* wanted) {
  if (c.type != oid || c.bytes.size() != length) refuse(c, wanted);
}

/// Takes `n` bytes off the front.
byte_view take(cell c, byte_view& rest, std::size_t n) {
  if (rest.size() < n) refuse(c, "whole array");
  byte_view const head = rest.first(n);
  rest = rest.subspan(n);
  return head;
}

/// array_send: dimensions, has-nulls flag, element type, per dimension length and lower bound, elements.
template <class Each>
void each_element(cell c, Each each) {
  byte_view rest = c.bytes;
  auto const dimensions = get_uint(take(c, rest, 4));
  take(c, rest, 4);  // the flag repeats what the elements say
  auto const element = static_cast<std::uint32_t>(get_uint(take(c, rest, 4)));
  if (dimensions > 1) refuse(c, "array of one dimension");
  std::uint64_t const count = dimensions == 0 ? 0 : get_uint(take(c, rest, 8)) >> 32;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const length = get_uint(take(c, rest, 4));
    if (length == 0xFFFF'FFFF) refuse(c, "array without NULL");
    each(cell{element, take(c, rest, length)});
  }
  if (!rest.empty()) refuse(c, "array that ends with its last element");
}

template <class T, class Decode>
std::vector<T> decode_array(cell c, bool (*fits)(std::uint32_t), Decode decode) {
  std::vector<T> items;
  if (c.bytes.size() >= 12 && !fits(static_cast<std::uint32_t>(get_uint(c.bytes.subspan(8, 4)))))
    refuse(c, "array of this element type");
  each_element(c, [&](cell element) { items.emplace_back(decode(element)); });
  return items;
}

}  // namespace

std::string_view decode_text(cell c) {
  if (is_text(c.type)) return as_text(c.bytes);
  // jsonb_send puts a version number in front; there has only ever been 1.
  if (c.type != type::jsonb || c.bytes.empty() || c.bytes[0] != 1) refuse(c, "text");
  return as_text(c.bytes.subspan(1));
}

std::int64_t decode_integer(cell c) {
  std::size_t const n = c.bytes.size();
  if (c.type == type::int2 && n == 2) return static_cast<std::int16_t>(get_uint(c.bytes));
  if (c.type == type::int4 && n == 4) return static_cast<std::int32_t>(get_uint(c.bytes));
  if (c.type == type::int8 && n == 8) return static_cast<std::int64_t>(get_uint(c.bytes));
  refuse(c, "integer");
}

bool decode_boolean(cell c) {
  require(c, type::boolean, 1, "boolean");
  return c.bytes[0] != 0;
}

double decode_real(cell c) {
  if (c.type == type::float4 && c.bytes.size() == 4)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(get_uint(c.bytes))));
  require(c, type::float8, 8, "floating-point number");
  return std::bit_cast<double>(get_uint(c.bytes));
}

uuid decode_uuid(cell c) {
  require(c, type::uuid, 16, "uuid");
  uuid id;
  std::ranges::copy(c.bytes, id.bytes.begin());
  return id;
}

timestamp decode_time(cell c) {
  require(c, type::timestamptz, 8, "timestamptz");
  auto const micros = static_cast<std::int64_t>(get_uint(c.bytes));
  constexpr auto highest = std::numeric_limits<std::int64_t>::max() - epoch_offset_micros;
  if (micros == std::numeric_limits<std::int64_t>::min() || micros > highest) refuse(c, "finite timestamptz");
  return {micros + epoch_offset_micros};
}

byte_view decode_bytes(cell c) {
  if (c.type != type::bytea) refuse(c, "bytea");
  return c.bytes;
}

std::vector<uuid> decode_uuids(cell c) {
  return decode_array<uuid>(c, [](std::uint32_t t) { return t == type::uuid; }, decode_uuid);
}

std::vector<std::string> decode_texts(cell c) {
  return decode_array<std::string>(c, is_text, decode_text);
}

std::vector<std::int64_t> decode_integers(cell c) {
  return decode_array<std::int64_t>(c, [](std::uint32_t t) { return t == type::int8; }, decode_integer);
}

}  // namespace svc::postgres
