#include "cli/events/test_output.hpp"

#include "svc/core/numbers.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::cli {
namespace {

std::string kept_part(std::string_view line) {
  if (line.size() <= test_output::longest_line) return std::string(line);
  std::size_t end = 0;
  while (end < test_output::longest_line) end += std::max<std::size_t>(1, utf8_sequence(line.substr(end)));
  return std::string(line.substr(0, end)) + "…";
}

}  // namespace

std::optional<std::size_t> announced_test(std::string_view line, std::size_t count) {
  constexpr std::string_view begin = "[svc-runner: test ";
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  auto const number_end = std::min(line.find(' '), line.size());
  auto const number = parse_number<std::size_t>(line.substr(0, number_end));
  if (!number || !line.substr(number_end).starts_with(" of " + std::to_string(count) + ": ")) return std::nullopt;
  if (*number == 0 || *number > count) return std::nullopt;
  return *number - 1;
}

std::optional<reported_result> result_in(std::string_view line, std::size_t test, std::size_t count) {
  constexpr std::array<std::string_view, 6> results{"passed", "failed", "error", "timed_out", "cancelled", "skipped"};
  auto const begin = "[svc-runner: test " + std::to_string(test + 1) + " of " + std::to_string(count) + " ";
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  auto const status = line.substr(0, line.find_first_of(" ]"));
  if (std::ranges::find(results, status) == results.end()) return std::nullopt;
  line.remove_prefix(status.size());
  reported_result out{.status = std::string(status)};
  constexpr std::string_view after = " after ";
  if (!line.starts_with(after)) return out;
  line.remove_prefix(after.size());
  out.duration_ms = parse_number<std::int64_t>(line.substr(0, line.find(' ')));
  return out;
}

void test_output::take(run_news const& news) {
  if (news.content == run_news::kind::status && news.text == "running") return begin();
  if (news.content != run_news::kind::line) return;
  if (count() > 1 && news.error_stream) {
    if (auto const next = announced_test(news.text, count()); next && (!current_ || *next > *current_)) {
      current_ = next;
      return;
    }
  }
  if (count() == 1) current_ = 0;
  if (!current_) return;
  // The summary contains this line anyway.
  if (count() > 1 && news.error_stream)
    if (auto notified = result_in(news.text, *current_, count())) {
      results_[*current_] = std::move(notified);
      return;
    }
  auto& kept = last_lines_[*current_];
  kept.push_back(kept_part(news.text));
  if (kept.size() > lines_kept) kept.pop_front();
}

std::optional<reported_result> test_output::result(std::size_t test) const {
  if (test >= count()) return std::nullopt;
  if (results_[test]) return results_[test];
  return current_ == test ? std::optional(reported_result{.status = "running"}) : std::nullopt;
}

void test_output::begin() {
  current_.reset();
  for (auto& result : results_) result.reset();
  for (auto& kept : last_lines_) kept.clear();
}

}  // namespace svc::cli
