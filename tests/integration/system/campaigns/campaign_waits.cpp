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
  clock::time_point from{}, to{};
};

/// Merges overlapping intervals; the result is in order.
std::vector<interval> united(std::vector<interval> all) {
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.from < b.from; });
  std::vector<interval> out;
  for (auto const& one : all) {
    if (out.empty() || one.from > out.back().to)
      out.push_back(one);
    else
      out.back().to = std::max(out.back().to, one.to);
  }
  return out;
}

clock::duration overlap(std::vector<interval> const& frozen, timed_request const& with) {
  clock::duration out{};
  for (auto const& one : frozen) {
    auto const shared = std::min(one.to, with.end) - std::max(one.from, with.start);
    out += std::max(shared, clock::duration::zero());
  }
  return out;
}

/// When the processes that one client depends on stood still.
class frozen_times {
 public:
  explicit frozen_times(std::vector<freeze> const& all) : all_(all) {}

  std::vector<interval> const& of(std::string const& asker) {
    auto const [at, is_new] = known_.try_emplace(asker);
    if (is_new) {
      for (auto const& one : all_)
        if (!one.only_itself || one.who == asker) at->second.push_back({one.from, one.to});
      at->second = united(std::move(at->second));
    }
    return at->second;
  }

 private:
  std::vector<freeze> const& all_;
  std::map<std::string, std::vector<interval>> known_{};
};

}  // namespace

support::answer ask_timed(support::api_client& by, shared_book<timed_request>& book, std::string what,
                          to_ask const& request) {
  support::answer got;
  by.http().close();
  timed_request timed{.asker = "a client", .what = std::move(what), .start = clock::now()};
  try {
    got = by.call(request.method, request.target, request.body, request.headers);
  } catch (std::runtime_error const&) {
    by.http().close();
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
  for (auto const& one : requests) {
    auto const frozen = overlap(times.of(one.asker), one);
    auto const beyond = one.end - one.start - frozen - one.asked_wait;
    wait_beyond const as{one, std::chrono::duration_cast<milliseconds>(frozen),
                         std::chrono::duration_cast<milliseconds>(beyond)};
    ++out.requests;
    if (frozen > clock::duration::zero()) ++out.overlapped;
    if (out.requests == 1 || as.beyond > out.highest.beyond) out.highest = as;
    if (beyond > limit) out.late.push_back(as);
    if (one.answer >= 500 && one.answer != 503) out.strange.push_back(one);
  }
  return out;
}

std::string wait_beyond::text() const {
  auto const took = std::chrono::duration_cast<milliseconds>(request.end - request.start);
  std::ostringstream out;
  out << request.what << " of " << request.asker << ", answer " << request.answer << ", took " << took.count()
      << " ms, " << frozen.count() << " ms of them frozen, asked to wait " << request.asked_wait.count()
      << " ms: " << beyond.count() << " ms beyond";
  return out.str();
}

std::string waits_verdict::text() const {
  std::ostringstream out;
  out << requests << " requests, " << overlapped << " of them overlapped by freezes; highest: " << highest.text();
  for (auto const& one : late) out << "\nLATE: " << one.text();
  for (auto const& one : strange) out << "\nSTRANGE: " << one.what << " of " << one.asker << ": " << one.answer;
  return out.str();
}

}  // namespace svc::test
