#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/http/deflate.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/store/runs/output_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace svc::output {

/// Limit on the text, in bytes, of the whole output that a runner may send with the result. Such output is
/// stored without Redis. The contract bounds the number of lines. Compressing this much text takes a
/// millisecond at most.
inline constexpr std::size_t most_whole_output = 64UL * 1024;

/// Returns the output that the writer and the mover would have stored for these lines. Requires that the run is in
/// its first attempt, so that no other output precedes the lines.
store::stored_output pack_whole(uuid run, std::vector<output_line> output_lines, output_limits const& limits,
                                std::string status, std::int64_t last_seq);

/// Returns the output text of a run that printed nothing. Nothing is packed for such a run.
std::string text_of_silent(std::string status);

/// The events of a run that were added so far, compressed as they are stored. Worker-local.
struct packed_output {
  http::deflater text{http::deflate_format::zlib, compression};
  store::stored_output out{};
  event_id last{};
  bool complete = false;

  /// Adds the next events, in order.
  void add(std::vector<run_event> const& events);
  /// Completes `out`; no call may follow.
  void finish(uuid run);

  /// Output is repetitive, so the fastest level is enough; it compresses 100 MB/s.
  static constexpr int compression = 1;
};

}  // namespace svc::output
