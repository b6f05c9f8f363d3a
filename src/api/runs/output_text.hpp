#pragma once

#include <string>
#include <string_view>

namespace svc::api {

// A run's stored events (`append_stored`) as `GET /api/runs/{id}/output` shows them. Where events are missing both
// say so. Bytes that are no UTF-8 become U+FFFD.

/// The lines of both streams in order.
std::string output_text(std::string_view stored);
/// One JSON object a line: `{id, line, stream}`, or `{gap: {after, before}}`.
std::string output_ndjson(std::string_view stored);

}  // namespace svc::api
