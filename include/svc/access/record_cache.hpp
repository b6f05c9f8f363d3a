#pragma once

#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace svc::access {

/// Immutable once read; shared by the requests that use it.
using record_ptr = std::shared_ptr<token_record const>;

/// A record in worker memory. `unpublished`: a background refresh has read it, and Redis does not have it yet; the
/// next admission that confirms it puts it there.
struct held_record {
  record_ptr record{};
  bool unpublished = false;
};

/// Records of this worker, most recently used first; bounded. An admission confirms every use, so an outdated record
/// does no harm. Worker-local.
class record_cache {
 public:
  explicit record_cache(std::size_t capacity = 20'000) : capacity_(capacity) {}

  /// Returns an empty record if there is none, or it is older at `now` than its maximum age.
  held_record find(sha256_digest const& digest, timestamp now);
  /// Keeps the newer of the held record and this one; `unpublished` belongs to the one that is kept.
  void keep(sha256_digest const& digest, held_record record);
  /// Drops records that are older than these epochs.
  void invalidate(std::vector<subject_epoch> const& touched);
  void invalidate_all();
  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    held_record held;
    std::list<sha256_digest>::iterator use;
  };
  using map = std::unordered_map<sha256_digest, entry, digest_hash>;

  void erase(map::iterator position);

  std::size_t capacity_;
  std::list<sha256_digest> by_use_;
  map entries_;
};

/// Returns true if less than the record's maximum age has passed since its read. A record that lies that far
/// in the future (the database went back in time) is not young enough either.
inline bool young_enough(token_record const& r, timestamp now) {
  auto const age = now.micros - r.read_at.micros;
  return age < r.max_age_micros && age > -r.max_age_micros;
}

/// Returns the form in Redis: `r:<epoch>:<readAt>:` (the scripts compare these) and a JSON array that starts
/// with the format's version.
std::string encode_record(token_record const& record);

/// Returns `std::nullopt` for any other text (markers, negative entries, another version's format). Total.
std::optional<token_record> decode_record(std::string_view text);

}  // namespace svc::access
