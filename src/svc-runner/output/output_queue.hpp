#pragma once

#include "svc-runner/client/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace svc::runner {

/// Lines on their way to the service, numbered from 1 without a hole; kept until the service says that it has them.
/// A value of one run.
class output_queue {
 public:
  void add(output_stream stream, std::string text);

  /// The next lines from the oldest that is not acknowledged: at most 1000, about 256 KiB of text.
  std::vector<output_line> batch() const;
  /// True when a batch need not wait for more lines.
  bool batch_is_full() const { return lines_.size() >= most_lines || bytes_ >= most_bytes; }
  /// All up to `through` have arrived.
  void acknowledge(std::int64_t through);

  bool empty() const { return lines_.empty(); }
  std::size_t bytes() const { return bytes_; }
  std::int64_t last_seq() const { return last_seq_; }

  static constexpr std::size_t most_lines = 1000;
  static constexpr std::size_t most_bytes = 256UL * 1024;

 private:
  std::deque<output_line> lines_{};
  std::size_t bytes_ = 0;
  std::int64_t last_seq_ = 0;
};

}  // namespace svc::runner
