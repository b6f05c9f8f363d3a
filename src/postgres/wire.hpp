#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {

/// The OIDs from pg_type.dat that we read or write; PostgreSQL never changes them.
namespace type {
inline constexpr std::uint32_t boolean = 16, bytea = 17, char1 = 18, name = 19, int8 = 20, int2 = 21, int4 = 23,
                               text = 25, json = 114, float4 = 700, float8 = 701, unknown = 705, bpchar = 1042,
                               varchar = 1043, timestamptz = 1184, uuid = 2950, jsonb = 3802;
/// The OIDs of types that a schema defines (enums, citext) start here.
inline constexpr std::uint32_t first_user_defined = 16384;
}  // namespace type

/// PostgreSQL counts microseconds from 2000-01-01, the service from 1970-01-01.
inline constexpr std::int64_t epoch_offset_micros = 946'684'800'000'000;

inline void put_uint32(std::string& out, std::uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift & 0xFF);
}
inline void put_uint64(std::string& out, std::uint64_t v) {
  put_uint32(out, static_cast<std::uint32_t>(v >> 32));
  put_uint32(out, static_cast<std::uint32_t>(v));
}

/// Reads a big-endian number. Requires that the caller has checked the length.
inline std::uint64_t get_uint(byte_view bytes) {
  std::uint64_t v = 0;
  for (std::uint8_t const b : bytes) v = v << 8 | b;
  return v;
}

/// A value as the server sent it in binary format. A view, valid while the result lives.
struct cell {
  std::uint32_t type = 0;
  byte_view bytes{};
};

// Total: any type and any bytes give a value or throw `std::logic_error`. A mismatch is a bug, because
// statement and reader are both ours.
std::string_view decode_text(cell c);
std::int64_t decode_integer(cell c);
bool decode_boolean(cell c);
double decode_real(cell c);
uuid decode_uuid(cell c);
/// Refuses +-infinity and times that do not fit after the change of epoch.
timestamp decode_time(cell c);
byte_view decode_bytes(cell c);
// One dimension or none; NULL elements are refused.
std::vector<uuid> decode_uuids(cell c);
std::vector<std::string> decode_texts(cell c);
std::vector<std::int64_t> decode_integers(cell c);

}  // namespace svc::postgres
