#pragma once

#include "svc/domain/run_event.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::api {

/// How `GET /api/runs/{id}/output` shows a run's stored events (`append_stored`): the lines of both streams in order;
/// where events are missing it says so. Bytes that are no UTF-8 become U+FFFD.
enum class output_form : std::uint8_t {
  /// What a terminal would obey is shown instead: C0 controls and DEL as their pictures (U+2400 and on), C1 controls
  /// as
  /// U+FFFD. The tab stays, and a carriage return at the end of a line is left out.
  text,
  /// One JSON object a line: `{id, line, stream}`, the line as it was printed, or `{gap: {after, before}}`.
  ndjson,
};

/// Writes it in steps, so that a worker can serve others between them. A value; what it reads outlives it.
class output_printer {
 public:
  output_printer(std::string_view stored, output_form form) : rest_(stored), form_(form) {}

  /// Some more, near `most` stored bytes unless a line is longer. False when that was all.
  bool step(std::string& out, std::size_t most);

 private:
  std::string_view rest_;
  output_form form_;
  event_id last_{};
};

/// All of it in one step.
std::string output_as(std::string_view stored, output_form form);

}  // namespace svc::api
