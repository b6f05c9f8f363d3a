#pragma once

#include "svc/domain/run_event.hpp"
#include "svc/http/deflate.hpp"
#include "svc/store/runs/output_store.hpp"

#include <string>
#include <vector>

namespace svc::output {

/// A run's output as read or told so far, compressed as it is stored. Worker-local.
struct packed_output {
  http::deflater text{http::deflate_format::zlib, compression};
  store::stored_output out{};
  event_id last{};
  bool complete = false;

  /// The next events, in order.
  void add(std::vector<run_event> const& events);
  /// Makes `out` whole; nothing may be added after it.
  void finish(uuid run);

  /// Output is repetitive, so the fastest level is enough; it compresses 100 MB/s.
  static constexpr int compression = 1;
};

}  // namespace svc::output
