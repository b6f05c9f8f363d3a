#include "postgres/wire.hpp"

#include "svc/postgres/query.hpp"

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

/// libpq ends text at the first NUL byte, so only part of it would be stored; sent as binary, it arrives whole and
/// the server refuses it.
bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

std::uint64_t encoded(timestamp t) {
  // At this bound the result would be PostgreSQL's -infinity; below it, the subtraction would overflow.
  if (t.micros <= std::numeric_limits<std::int64_t>::min() + epoch_offset_micros)
    throw std::logic_error("postgres: a timestamp out of range");
  return static_cast<std::uint64_t>(t.micros - epoch_offset_micros);
}

}  // namespace

std::string_view decode_text(cell c) {
  if (is_text(c.type)) return as_text(c.bytes);
  // jsonb_send puts a version number in front; 1 is the only one so far.
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

void parameters::add(std::nullptr_t) {
  values_.push_back({.bytes = {}, .null = true, .binary = false});
}

void parameters::add(std::string_view text) {
  values_.push_back({.bytes = std::string(text), .null = false, .binary = has_nul(text)});
}

void parameters::add(std::shared_ptr<std::string const> text) {
  if (!text) return add(nullptr);
  bool const binary = has_nul(*text);
  values_.push_back({.bytes = {}, .binary = binary, .shared = std::move(text)});
}

void parameters::add(std::int64_t number) {
  values_.push_back({.bytes = std::to_string(number), .null = false, .binary = false});
}

void parameters::add(bool value) {
  values_.push_back({.bytes = value ? "t" : "f", .null = false, .binary = false});
}

void parameters::add(uuid const& id) {
  values_.push_back({.bytes = std::string(as_text(id.bytes)), .null = false, .binary = true});
}

void parameters::add(timestamp t) {
  std::string bytes;
  put_uint64(bytes, encoded(t));
  values_.push_back({.bytes = std::move(bytes), .null = false, .binary = true});
}

void parameters::add(byte_view bytes) {
  values_.push_back({.bytes = std::string(as_text(bytes)), .null = false, .binary = true});
}

std::uint32_t parameters::type_of(std::type_identity<uuid> /*tag*/) {
  return type::uuid;
}
std::uint32_t parameters::type_of(std::type_identity<std::int64_t> /*tag*/) {
  return type::int8;
}
std::uint32_t parameters::type_of(std::type_identity<bool> /*tag*/) {
  return type::boolean;
}
std::uint32_t parameters::type_of(std::type_identity<std::string_view> /*tag*/) {
  return type::text;
}
std::uint32_t parameters::type_of(std::type_identity<std::string> /*tag*/) {
  return type::text;
}
std::uint32_t parameters::type_of(std::type_identity<byte_view> /*tag*/) {
  return type::bytea;
}
std::uint32_t parameters::type_of(std::type_identity<timestamp> /*tag*/) {
  return type::timestamptz;
}

/// Dimensions, a flag for NULLs that the server does not read, element type, then length and lower bound of the only
/// dimension; an empty array has no dimension at all.
std::string parameters::array_head(std::uint32_t element_type, std::size_t count) {
  std::string out;
  put_uint32(out, count == 0 ? 0 : 1);
  put_uint32(out, 0);
  put_uint32(out, element_type);
  if (count == 0) return out;
  put_uint32(out, static_cast<std::uint32_t>(count));
  put_uint32(out, 1);
  return out;
}

void parameters::append_element(std::string& out, uuid const& id) {
  append_element(out, byte_view(id.bytes));
}
void parameters::append_element(std::string& out, std::int64_t number) {
  put_uint32(out, 8);
  put_uint64(out, static_cast<std::uint64_t>(number));
}
void parameters::append_element(std::string& out, bool value) {
  put_uint32(out, 1);
  out += static_cast<char>(value ? 1 : 0);
}
void parameters::append_element(std::string& out, std::string_view text) {
  put_uint32(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}
void parameters::append_element(std::string& out, byte_view bytes) {
  append_element(out, as_text(bytes));
}

void parameters::append_element(std::string& out, timestamp t) {
  put_uint32(out, 8);
  put_uint64(out, encoded(t));
}
void parameters::append_null(std::string& out) {
  put_uint32(out, 0xFFFF'FFFF);
}

void parameters::add(std::vector<uuid> const& ids) {
  add_array(ids, [](uuid const& id) { return id; });
}

void parameters::add(std::vector<std::int64_t> const& numbers) {
  add_array(numbers, [](std::int64_t n) { return n; });
}

void parameters::add(std::vector<std::string> const& texts) {
  // An array literal, unlike a binary array, also fits enum[] and varchar[]. Every element is quoted, so that `NULL`,
  // blanks and braces stay text. A NUL byte in an element cuts the literal off before its closing brace, and the
  // server refuses it.
  std::string out = "{";
  for (std::string const& text : texts) {
    out += out.size() == 1 ? "\"" : ",\"";
    for (char const c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  out += '}';
  values_.push_back({.bytes = std::move(out), .null = false, .binary = false});
}

}  // namespace svc::postgres
