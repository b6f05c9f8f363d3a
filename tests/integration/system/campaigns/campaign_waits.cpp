#include "campaign_waits.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

struct interval {
  clock::time_point start{}, end{};
};

/// Merges overlapping intervals; the result is in order.
std::vector<interval> united(std::vector<interval> all) {
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.start < b.start; });
  std::vector<interval> out;
  for (auto const& interval : all) {
    if (out.empty() || interval.start > out.back().end)
      out.push_back(interval);
    else
      out.back().end = std::max(out.back().end, interval.end);
  }
  return out;
}

clock::duration overlap(std::vector<interval> const& frozen, timed_request const& request) {
  clock::duration out{};
  for (auto const& interval : frozen) {
    auto const shared = std::min(interval.end, request.end) - std::max(interval.start, request.start);
    out += std::max(shared, clock::duration::zero());
  }
  return out;
}

/// When the processes that one client depends on stood still.
class frozen_times {
 public:
  explicit frozen_times(std::vector<freeze> const& all) : all_(all) {}

  std::vector<interval> const& of(std::string const& asker) {
    auto const [position, is_new] = known_.try_emplace(asker);
    if (is_new) {
      for (auto const& freeze : all_)
        if (!freeze.only_itself || freeze.name == asker) position->second.push_back({freeze.start, freeze.end});
      position->second = united(std::move(position->second));
    }
    return position->second;
  }

 private:
  std::vector<freeze> const& all_;
  std::map<std::string, std::vector<interval>> known_{};
};

}  // namespace

support::answer ask_timed(support::api_client& client, shared_book<timed_request>& book, std::string subject,
                          to_ask const& request) {
  support::answer got;
  client.http().close();
  timed_request timed{.asker = "a client", .subject = std::move(subject), .start = clock::now()};
  try {
    got = client.call(request.method, request.target, request.body, request.headers);
  } catch (std::runtime_error const&) {
    client.http().close();
  }
  timed.end = clock::now();
  timed.answer = got.status;
  book.add(std::move(timed));
  return got;
}

waits_verdict check_waits_of(std::vector<freeze> const& freezes, std::vector<timed_request> const& requests,
                             milliseconds limit) {
  waits_verdict out;
  frozen_times times(freezes);
  for (auto const& request : requests) {
    auto const frozen = overlap(times.of(request.asker), request);
    auto const beyond = request.end - request.start - frozen - request.asked_wait;
    wait_beyond const as{request, std::chrono::duration_cast<milliseconds>(frozen),
                         std::chrono::duration_cast<milliseconds>(beyond)};
    ++out.requests;
    if (frozen > clock::duration::zero()) ++out.overlapped;
    if (out.requests == 1 || as.beyond > out.highest.beyond) out.highest = as;
    if (beyond > limit) out.late.push_back(as);
    if (request.answer >= 500 && request.answer != 503) out.strange.push_back(request);
  }
  return out;
}

std::string wait_beyond::text() const {
  auto const took = std::chrono::duration_cast<milliseconds>(request.end - request.start);
  std::ostringstream out;
  out << request.subject << " of " << request.asker << ", answer " << request.answer << ", took " << took.count()
      << " ms, " << frozen.count() << " ms of them frozen, asked to wait " << request.asked_wait.count()
      << " ms: " << beyond.count() << " ms beyond";
  return out.str();
}

std::string waits_verdict::text() const {
  std::ostringstream out;
  out << requests << " requests, " << overlapped << " of them overlapped by freezes; highest: " << highest.text();
  for (auto const& beyond : late) out << "\nLATE: " << beyond.text();
  for (auto const& request : strange)
    out << "\nSTRANGE: " << request.subject << " of " << request.asker << ": " << request.answer;
  return out.str();
}

}  // namespace svc::test
