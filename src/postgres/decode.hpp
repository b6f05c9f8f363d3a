#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {

/// A value as the server sent it in binary format. A view, valid while the result lives.
struct cell {
  std::uint32_t type = 0;
  byte_view bytes{};
};

// Total: any type and any bytes give a value or throw `std::logic_error`, since statement and reader are
// both ours.
std::string_view decode_text(cell c);
std::int64_t decode_integer(cell c);
bool decode_boolean(cell c);
double decode_real(cell c);
uuid decode_uuid(cell c);
/// Refuses +-infinity and moments that do not fit after the change of epoch.
timestamp decode_time(cell c);
byte_view decode_bytes(cell c);
// One dimension or none; NULL elements are refused.
std::vector<uuid> decode_uuids(cell c);
std::vector<std::string> decode_texts(cell c);
std::vector<std::int64_t> decode_integers(cell c);

}  // namespace svc::postgres
