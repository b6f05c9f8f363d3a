#pragma once

#include "svc/core/uuid.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/store/runs/output_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace svc::output {

/// Limit on the text, in bytes, of the whole output that a runner may send with the result. Such output is stored
/// without the way through Redis. The contract bounds the number of lines. Compressing this much text takes a
/// millisecond at most.
inline constexpr std::size_t most_whole_output = 64UL * 1024;

/// Returns the output that the writer and the mover would have stored for these lines. Requires that the run is in
/// its first attempt, so that no other output precedes the lines.
store::stored_output pack_whole(uuid run, std::vector<output_line> output_lines, output_limits const& limits,
                                std::string status, std::int64_t last_seq);

/// Returns the output text of a run that printed nothing. Nothing is packed for such a run.
std::string text_of_silent(std::string status);

}  // namespace svc::output
