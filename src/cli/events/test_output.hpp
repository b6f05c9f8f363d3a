#pragma once

#include "cli/events/followed_run.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// The result of a test that a runner has reported in its output. A value.
struct reported_result {
  std::string status{};
  std::optional<std::int64_t> duration_ms{};
};

/// The last lines of each test of a run, from the run's stream, which has no events of tests. If a run has several
/// tests, its runner writes `[svc-runner: test 2 of 3: title]` to stderr before each test, and `[svc-runner: test 2
/// of 3 passed after 950 ms]` after it. (A script that prints such a line confuses its own run's summary and nothing
/// else.) Bounded. A value.
class test_output {
 public:
  static constexpr std::size_t lines_kept = 20;
  /// Bytes of a line, about.
  static constexpr std::size_t longest_line = 500;

  explicit test_output(std::size_t tests) : last_lines_(tests), results_(tests) {}

  /// A new attempt forgets the output of earlier ones.
  void take(run_news const& news);
  /// The test that prints now, from 0; nothing before the first.
  std::optional<std::size_t> current() const { return current_; }
  std::size_t count() const { return last_lines_.size(); }
  /// Returns the test's result by the output, or `std::nullopt` before its start. The service knows the results of a
  /// run's tests only when the run has ended. A test that prints now is `running`.
  std::optional<reported_result> result(std::size_t test) const;
  /// As printed.
  std::deque<std::string> const& last_lines(std::size_t test) const { return last_lines_.at(test); }

 private:
  void begin();

  std::vector<std::deque<std::string>> last_lines_;
  std::vector<std::optional<reported_result>> results_;
  std::optional<std::size_t> current_{};
};

/// Returns the index (from 0) of the test that a runner's line announces, if the line is about `count` tests.
std::optional<std::size_t> announced_test(std::string_view line, std::size_t count);
/// Returns the result of the test with this index (from 0), if the runner's line has it.
std::optional<reported_result> result_in(std::string_view line, std::size_t test, std::size_t count);

}  // namespace svc::cli
