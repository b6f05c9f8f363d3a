#pragma once

#include "svc/output/output_writer.hpp"

#include <string>

namespace svc::output {

/// Cuts the text to the longest line, never inside a UTF-8 character.
void cut_line(std::string& text);
/// The line that says that a run's output has reached its limits.
std::string limit_mark(output_limits const& limits);

}  // namespace svc::output
