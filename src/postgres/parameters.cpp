#include "postgres/decode.hpp"
#include "svc/postgres/query.hpp"

#include <limits>
#include <stdexcept>

namespace svc::postgres {

namespace {

template <class T, class Append>
std::string binary_array(std::vector<T> const& items, std::uint32_t element_type, Append append) {
  std::string out;
  // Dimensions, no NULLs, element type, then length and lower bound of the only dimension; an empty array
  // has no dimension at all.
  put_uint32(out, items.empty() ? 0 : 1);
  put_uint32(out, 0);
  put_uint32(out, element_type);
  if (items.empty()) return out;
  put_uint32(out, static_cast<std::uint32_t>(items.size()));
  put_uint32(out, 1);
  for (T const& item : items) append(out, item);
  return out;
}

/// libpq ends text at the first NUL byte and so would store a part of it; sent as binary it arrives whole and the
/// server refuses it.
bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

}  // namespace

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
  // The two lowest values are PostgreSQL's -infinity and its neighbour's underflow.
  if (t.micros <= std::numeric_limits<std::int64_t>::min() + epoch_offset_micros)
    throw std::logic_error("postgres: a timestamp out of range");
  std::string bytes;
  put_uint64(bytes, static_cast<std::uint64_t>(t.micros - epoch_offset_micros));
  values_.push_back({.bytes = std::move(bytes), .null = false, .binary = true});
}

void parameters::add(byte_view bytes) {
  values_.push_back({.bytes = std::string(as_text(bytes)), .null = false, .binary = true});
}

void parameters::add(std::vector<uuid> const& ids) {
  auto append = [](std::string& out, uuid const& id) {
    put_uint32(out, 16);
    out += as_text(id.bytes);
  };
  values_.push_back({.bytes = binary_array(ids, type::uuid, append), .null = false, .binary = true});
}

void parameters::add(std::vector<std::int64_t> const& numbers) {
  auto append = [](std::string& out, std::int64_t n) {
    put_uint32(out, 8);
    put_uint64(out, static_cast<std::uint64_t>(n));
  };
  values_.push_back({.bytes = binary_array(numbers, type::int8, append), .null = false, .binary = true});
}

void parameters::add(std::vector<std::string> const& texts) {
  // An array literal, unlike a binary array, also fits enum[] and varchar[]. Every element is quoted, so
  // that `NULL`, blanks and braces stay text. An element with a NUL byte cuts the literal before its
  // closing brace: the server refuses it.
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
