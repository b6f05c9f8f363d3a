#pragma once

#include "svc-runner/client/messages.hpp"
#include "svc/core/masker.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Lines that wait for the service, numbered from 1 without gaps. Each line stays until the service acknowledges it.
/// A value of one run.
class output_queue {
 public:
  void add(output_stream stream, std::string text);

  /// Returns the next lines, from the oldest unacknowledged one on: at most 1000 lines and 256 KiB of text, but at
  /// least one line.
  std::vector<output_line> batch() const;
  /// True if a batch need not wait for more lines.
  bool batch_is_full() const { return lines_.size() >= most_lines || bytes_ >= most_bytes; }
  /// Removes the lines up to `through`, which have arrived.
  void acknowledge(std::int64_t through);

  bool empty() const { return lines_.empty(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t lines() const { return lines_.size(); }
  std::int64_t last_seq() const { return last_seq_; }

  static constexpr std::size_t most_lines = 1000;
  static constexpr std::size_t most_bytes = 256UL * 1024;

 private:
  std::deque<output_line> lines_{};
  std::size_t bytes_ = 0;
  std::int64_t last_seq_ = 0;
};

/// Splits one stream's bytes into lines. Secrets are masked first. Then the text is split at line feeds (a carriage
/// return before one is part of it), and overlong lines between characters. Invalid UTF-8 and NUL become U+FFFD. A
/// value.
class line_splitter {
 public:
  explicit line_splitter(secret_patterns_ptr secrets) : masker_(std::move(secrets)) {}

  std::vector<std::string> feed(std::string_view bytes) { return cut(masker_.feed(bytes), false); }
  /// True if the masker holds a line until it sees the next bytes.
  bool holds_line() const { return masker_.holds_line(); }
  std::vector<std::string> release() { return cut(masker_.release(), false); }
  std::vector<std::string> finish() { return cut(masker_.finish(), true); }

  static constexpr std::size_t longest_line = 16UL * 1024;

 private:
  std::vector<std::string> cut(std::string const& shown, bool last);

  masker masker_;
  std::string open_{};  ///< the line without an end so far
};

/// The limit of a run's stored output. At the limit one line reports it, and only lines of the runner itself follow.
class output_budget {
 public:
  output_budget(std::size_t lines, std::size_t bytes) : lines_(lines), bytes_(bytes) {}

  enum class verdict : std::uint8_t { keep, last, drop };
  /// Counts a line. `last`: the budget ends here; show `marker` in place of the line.
  verdict spend(std::size_t bytes);
  std::string marker() const;
  bool full() const { return full_; }

 private:
  std::size_t lines_, bytes_;
  std::size_t used_lines_ = 0, used_bytes_ = 0;
  bool full_ = false;
};

/// Returns the bytes as well-formed UTF-8 without NUL.
std::string clean_text(std::string_view bytes);

}  // namespace svc::runner
