#include "svc-runner/output/output_queue.hpp"

#include <utility>

namespace svc::runner {

void output_queue::add(output_stream stream, std::string text) {
  bytes_ += text.size();
  lines_.push_back({++last_seq_, stream, std::move(text)});
}

std::vector<output_line> output_queue::batch() const {
  std::vector<output_line> out;
  std::size_t size = 0;
  for (auto const& line : lines_) {
    size += line.text.size();
    if (out.size() == most_lines || (!out.empty() && size > most_bytes)) break;
    out.push_back(line);
  }
  return out;
}

void output_queue::acknowledge(std::int64_t through) {
  while (!lines_.empty() && lines_.front().seq <= through) {
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
  }
}

}  // namespace svc::runner
