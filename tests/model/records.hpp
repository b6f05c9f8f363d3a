#pragma once

#include "model/state.hpp"
#include "svc/access/record_cache.hpp"

#include <unordered_map>

namespace svc::model {

/// Converts between the model's records and the service's. Owned by a simulator.
class records {
 public:
  records();

  access::record_ptr real(record const& r);
  static record plain(token_record const& r);

  sha256_digest const& digest(u8 token) const { return digests_[token]; }
  static uuid subject(u8 s);

  /// Presents the worker's memory as the real cache while `use` runs.
  template <class Use>
  void with_memory(worker& w, u8 now, Use use) {
    access::record_cache cache;
    for (u8 t = 0; t < max_tokens; ++t) {
      if (w.memory[t].record.stored == stored::record) {
        cache.keep(digests_[t], {real(w.memory[t].record), w.memory[t].unpublished != 0});
      }
    }
    use(cache);
    for (u8 t = 0; t < max_tokens; ++t) read_back(cache, w.memory[t], t, now);
  }

 private:
  void read_back(access::record_cache& cache, held& hold, u8 token, u8 now);

  std::array<sha256_digest, max_tokens> digests_;
  std::unordered_map<std::uint64_t, access::record_ptr> made_;
};

inline timestamp time_of(u8 tick) {
  return {tick * tick_micros};
}

}  // namespace svc::model
