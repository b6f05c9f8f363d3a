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
  for (auto const& request : all) {
    ++into.requests;
    if (request.status != good && request.status != also_good) ++into.failures[request.status];
  }
}

milliseconds longest_gap(std::vector<asked_request> const& all) {
  milliseconds longest{};
  std::chrono::steady_clock::time_point last{};
  for (auto const& request : all) {
    if (request.status != 200) continue;
    if (last != decltype(last){}) longest = std::max(longest, as_millis(request.end - last));
    last = request.end;
  }
  // A client that never succeeded again.
  if (!all.empty() && last != decltype(last){}) longest = std::max(longest, as_millis(all.back().end - last));
  return longest;
}

int most_in_a_window(std::vector<decision> const& all) {
  std::deque<std::int64_t> counted;
  std::size_t most = 0;
  for (auto const& decision : all) {
    if (decision.verdict != "ok") continue;
    auto const length = std::int64_t{decision.window} * 1'000'000;
    while (!counted.empty() && counted.front() <= decision.micros - length) counted.pop_front();
    counted.push_back(decision.micros);
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

std::string failures_of(std::map<int, int> const& entries) {
  std::string all;
  for (auto const& [status, times] : entries)
    all += (all.empty() ? "" : ", ") + (status == 0 ? std::string("no answer") : std::to_string(status)) + ": " +
           std::to_string(times);
  return all.empty() ? "none" : all;
}

}  // namespace

figures evaluate(load_records const& records, stored_facts const& stored) {
  figures out;
  for (auto const& client : records.good) {
    count(out, client, 200, 200);
    for (auto const& request : client) {
      out.good += request.status == 200 ? 1 : 0;
      out.refused_good += request.status == 401 ? 1 : 0;
    }
    out.longest_gap = std::max(out.longest_gap, longest_gap(client));
  }
  count(out, records.triggers, 202, 202);
  count(out, records.limited, 202, 429);
  count(out, records.completions, 204, 204);
  out.revoked = static_cast<int>(records.ended.size());
  std::vector<token_use> evaluated;
  for (auto const& use : records.doomed) {
    ++out.requests;
    // The register takes every other answer for a refusal.
    if (use.status != 200 && use.status != 401) ++out.failures[use.status];
    auto const end = records.ended.find(use.token);
    if (end == records.ended.end() || (use.status != 200 && use.status != 401)) continue;
    evaluated.push_back(use);
    if (use.status == 200 && use.start >= end->second.answered)
      out.latest_use = std::max(out.latest_use, as_millis(use.start - end->second.answered));
  }
  auto const verdict = check_register(records.ended, evaluated);
  out.late_uses = verdict.accepted_after;
  out.refused_good += verdict.refused_before;
  if (!stored.limited.empty()) out.limit = static_cast<int>(stored.limited.front().limit);
  out.most_admitted = most_in_a_window(stored.limited);
  std::set<std::string> reported;
  for (auto const& [key, runs] : records.keyed) {
    reported.insert(runs.begin(), runs.end());
    out.duplicated += static_cast<int>(runs.size()) - 1;
  }
  out.acknowledged = static_cast<int>(reported.size());
  for (auto const& run : reported) out.lost += stored.keyed_runs.contains(run) ? 0 : 1;
  for (auto const& run : stored.keyed_runs) out.duplicated += reported.contains(run) ? 0 : 1;
  out.attempts = stored.attempts;
  out.open = records.open;
  return out;
}

std::string broken(figures const& figures, promises const& allowed, int instances) {
  std::ostringstream out;
  if (figures.refused_good > 0) out << figures.refused_good << " times 401 for a good token; ";
  if (figures.latest_use > allowed.late || (figures.late_uses > 0 && allowed.late.count() == 0))
    out << figures.late_uses << " uses of dead tokens, the last " << figures.latest_use.count()
        << " ms after the answer; ";
  if (figures.most_admitted > allowed.windows * figures.limit + instances)
    out << figures.most_admitted << " admitted in one window of " << figures.limit << "; ";
  if (figures.lost > 0) out << figures.lost << " acknowledged runs lost; ";
  if (figures.duplicated > 0) out << figures.duplicated << " runs too many; ";
  if (figures.open > 0) out << figures.open << " never acknowledged; ";
  // 409: a trigger with the same key is not over yet. A 401 of a token that is being revoked is no failure.
  for (auto const& [status, times] : figures.failures)
    if (status != 0 && status != 503 && status != 409) out << times << " answers " << status << "; ";
  return out.str();
}

std::string head_of_table() {
  return "| fault | requests | failed | longest without success | 401 for good tokens | uses of dead tokens | most "
         "in a "
         "window | runs: told, lost, too many | taken again | normal after "
         "|\n|---|---|---|---|---|---|---|---|---|---|";
}

std::string row_of(std::string const& fault, figures const& figures, milliseconds normal_after) {
  std::ostringstream out;
  out << "| " << fault << " | " << figures.requests << " | " << failures_of(figures.failures) << " | "
      << seconds_of(figures.longest_gap) << " | " << figures.refused_good << " | " << figures.late_uses;
  if (figures.late_uses > 0) out << ", until " << seconds_of(figures.latest_use);
  out << " | " << figures.most_admitted << " of " << figures.limit << " | " << figures.acknowledged << ", "
      << figures.lost << ", " << figures.duplicated << " | " << figures.attempts << " | " << seconds_of(normal_after)
      << " |";
  return out.str();
}

}  // namespace svc::test
