#pragma once

#include "svc/domain/run_event.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::api {

/// The forms in which `GET /api/runs/{id}/output` shows a run's stored events (`append_stored`): the lines of both
/// streams in order, and a mark where events are missing. Bytes that are not UTF-8 become U+FFFD.
enum class output_form : std::uint8_t {
  /// Plain lines. Characters that a terminal would obey are replaced: C0 controls and DEL by their pictures (from
  /// U+2400), C1 controls by U+FFFD. Tabs stay, and a carriage return at the end of a line is left out.
  text,
  /// One JSON object per line: `{id, line, stream}` with the printed line, or `{gap: {after, before}}`.
  ndjson,
};

/// Writes output in steps, so that a worker can serve other requests between the steps. The printer is a value; its
/// input outlives it.
class output_printer {
 public:
  output_printer(std::string_view stored, output_form form) : rest_(stored), form_(form) {}

  /// Writes about `most` stored bytes, more if a line is longer. Returns false at the end of the output.
  bool step(std::string& out, std::size_t most);

 private:
  std::string_view rest_;
  output_form form_;
  event_id last_{};
};

/// Returns the whole output in one step.
std::string output_as(std::string_view stored, output_form form);

}  // namespace svc::api
