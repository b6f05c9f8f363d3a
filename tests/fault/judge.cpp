#include "judge.hpp"

#include <algorithm>
#include <deque>
#include <sstream>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

milliseconds as_millis(std::chrono::steady_clock::duration span) {
  return std::chrono::duration_cast<milliseconds>(span);
}

void count(figures& into, std::vector<asked_request> const& all, int good, int also_good) {
  for (auto const& one : all) {
    ++into.requests;
    if (one.status != good && one.status != also_good) ++into.failures[one.status];
  }
}

milliseconds longest_gap(std::vector<asked_request> const& all) {
  milliseconds longest{};
  std::chrono::steady_clock::time_point last{};
  for (auto const& one : all) {
    if (one.status != 200) continue;
    if (last != decltype(last){}) longest = std::max(longest, as_millis(one.end - last));
    last = one.end;
  }
  // A client that never succeeded again.
  if (!all.empty() && last != decltype(last){}) longest = std::max(longest, as_millis(all.back().end - last));
  return longest;
}

int most_in_a_window(std::vector<decision> const& all) {
  std::deque<std::int64_t> counted;
  std::size_t most = 0;
  for (auto const& one : all) {
    if (one.verdict != "ok") continue;
    auto const length = std::int64_t{one.window} * 1'000'000;
    while (!counted.empty() && counted.front() <= one.micros - length) counted.pop_front();
    counted.push_back(one.micros);
    most = std::max(most, counted.size());
  }
  return static_cast<int>(most);
}

std::string seconds_of(milliseconds span) {
  std::ostringstream out;
  out.precision(1);
  out << std::fixed << static_cast<double>(span.count()) / 1000 << " s";
  return out.str();
}

std::string failures_of(std::map<int, int> const& of) {
  std::string all;
  for (auto const& [status, times] : of)
    all += (all.empty() ? "" : ", ") + (status == 0 ? std::string("no answer") : std::to_string(status)) + ": " +
           std::to_string(times);
  return all.empty() ? "none" : all;
}

}  // namespace

figures judge(load_records const& of, stored_facts const& stored) {
  figures out;
  for (auto const& client : of.good) {
    count(out, client, 200, 200);
    for (auto const& one : client) {
      out.good += one.status == 200 ? 1 : 0;
      out.refused_good += one.status == 401 ? 1 : 0;
    }
    out.longest_gap = std::max(out.longest_gap, longest_gap(client));
  }
  count(out, of.triggers, 202, 202);
  count(out, of.limited, 202, 429);
  count(out, of.completions, 204, 204);
  out.revoked = static_cast<int>(of.ended.size());
  std::vector<token_use> judged;
  for (auto const& use : of.doomed) {
    ++out.requests;
    // The register takes every other answer for a refusal.
    if (use.status != 200 && use.status != 401) ++out.failures[use.status];
    auto const end = of.ended.find(use.token);
    if (end == of.ended.end() || (use.status != 200 && use.status != 401)) continue;
    judged.push_back(use);
    if (use.status == 200 && use.start >= end->second.answered)
      out.latest_use = std::max(out.latest_use, as_millis(use.start - end->second.answered));
  }
  auto const verdict = check_register(of.ended, judged);
  out.late_uses = verdict.accepted_after;
  out.refused_good += verdict.refused_before;
  if (!stored.limited.empty()) out.limit = static_cast<int>(stored.limited.front().limit);
  out.most_admitted = most_in_a_window(stored.limited);
  std::set<std::string> told;
  for (auto const& [key, runs] : of.keyed) {
    told.insert(runs.begin(), runs.end());
    out.duplicated += static_cast<int>(runs.size()) - 1;
  }
  out.acknowledged = static_cast<int>(told.size());
  for (auto const& run : told) out.lost += stored.keyed_runs.contains(run) ? 0 : 1;
  for (auto const& run : stored.keyed_runs) out.duplicated += told.contains(run) ? 0 : 1;
  out.attempts = stored.attempts;
  out.open = of.open;
  return out;
}

std::string broken(figures const& of, promises const& allowed, int instances) {
  std::ostringstream out;
  if (of.refused_good > 0) out << of.refused_good << " times 401 for a good token; ";
  if (of.latest_use > allowed.late || (of.late_uses > 0 && allowed.late.count() == 0))
    out << of.late_uses << " uses of dead tokens, the last " << of.latest_use.count() << " ms after the answer; ";
  if (of.most_admitted > allowed.windows * of.limit + instances)
    out << of.most_admitted << " admitted in one window of " << of.limit << "; ";
  if (of.lost > 0) out << of.lost << " acknowledged runs lost; ";
  if (of.duplicated > 0) out << of.duplicated << " runs too many; ";
  if (of.open > 0) out << of.open << " never acknowledged; ";
  // 409: a trigger with the same key is not over yet. A 401 of a token that is being revoked is no failure.
  for (auto const& [status, times] : of.failures)
    if (status != 0 && status != 503 && status != 409) out << times << " answers " << status << "; ";
  return out.str();
}

std::string head_of_table() {
  return "| fault | requests | failed | longest without success | 401 for good tokens | uses of dead tokens | most "
         "in a "
         "window | runs: told, lost, too many | taken again | normal after "
         "|\n|---|---|---|---|---|---|---|---|---|---|";
}

std::string row_of(std::string const& fault, figures const& of, milliseconds normal_after) {
  std::ostringstream out;
  out << "| " << fault << " | " << of.requests << " | " << failures_of(of.failures) << " | "
      << seconds_of(of.longest_gap) << " | " << of.refused_good << " | " << of.late_uses;
  if (of.late_uses > 0) out << ", until " << seconds_of(of.latest_use);
  out << " | " << of.most_admitted << " of " << of.limit << " | " << of.acknowledged << ", " << of.lost << ", "
      << of.duplicated << " | " << of.attempts << " | " << seconds_of(normal_after) << " |";
  return out.str();
}

}  // namespace svc::test
