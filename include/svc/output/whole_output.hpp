#pragma once

#include "svc/core/uuid.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/store/runs/output_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace svc::output {

/// The most bytes of text of a run's whole output that its runner may tell with the result, so that it is stored
/// without the way through Redis; the contract bounds its lines. Compressing so much takes a millisecond at most.
inline constexpr std::size_t most_whole_output = 64UL * 1024;

/// What the writer and the mover would have stored of these lines. The run is in its first attempt: no other output
/// comes before this.
store::stored_output pack_whole(uuid run, std::vector<output_line> output_lines, output_limits const& limits,
                                std::string status, std::int64_t last_seq);

/// The text of the output of a run that printed nothing, for which nothing is packed.
std::string text_of_silent(std::string status);

}  // namespace svc::output
