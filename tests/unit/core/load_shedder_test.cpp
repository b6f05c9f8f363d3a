#include "svc/core/load_shedder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace svc {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr microseconds target = milliseconds(100), cost{250}, cost_of_refusal{2};

steady::duration nothing_further(steady::time_point) {
  return steady::duration(0);
}

/// A worker that serves one request after another in `cost`, in virtual time. Requests arrive evenly, and
/// independently of the queue; a third each are lists, reads and changes.
class busy_worker {
 public:
  /// Offers `load` times the worker's capacity, for this time.
  void run(double load, milliseconds how_long) {
    auto const gap = std::chrono::duration_cast<steady::duration>(cost / load);
    auto const until = now_ + how_long;
    served_ = 0;
    offered_.fill(0);
    refused_.fill(0);
    waits_.clear();
    for (due_ = std::max(due_, now_); now_ < until; step(gap)) {
    }
    for (; !queue_.empty(); serve_next()) {
    }
    if (!probe_) return;
    now_ = std::max(now_, *std::exchange(probe_, {}));
    shedder_.returned(now_);
  }
  /// Returns the share of the last run's time that was spent on served requests. A part of it may be later than the
  /// run's end.
  double goodput(seconds value) const { return std::chrono::duration<double>(served_ * cost) / value; }
  double share(work_class work_class) const {
    auto const i = static_cast<std::size_t>(work_class);
    return static_cast<double>(refused_[i]) / static_cast<double>(offered_[i]);
  }
  int refused() const { return std::accumulate(refused_.begin(), refused_.end(), 0); }
  milliseconds wait_at(double quantile) {
    std::ranges::sort(waits_);
    auto const position = static_cast<std::size_t>(quantile * static_cast<double>(waits_.size() - 1));
    return std::chrono::duration_cast<milliseconds>(waits_[position]);
  }
  /// Sets the longest wait further on from now on.
  void wait_further(steady::duration how_long) { further_ = how_long; }
  void stand_still(steady::duration how_long) { now_ += how_long; }
  load_shedder& shedder() { return shedder_; }
  /// From now on a quarter of the requests are claims.
  void offer_claims() { first_ = 0; }

 private:
  struct waiting {
    steady::time_point since;
    int which;  ///< class; -1: the probe
  };

  void step(steady::duration gap) {
    for (; due_ <= now_; due_ += gap) {
      if (probe_ && *probe_ <= due_) queue_.push_back({*std::exchange(probe_, {}), -1});
      queue_.push_back({due_, first_ + next_++ % (static_cast<int>(work_classes) - first_)});
    }
    if (queue_.empty()) now_ = due_;
    if (!queue_.empty()) serve_next();
  }
  void serve_next() {
    auto const first = queue_.front();
    queue_.pop_front();
    if (first.which < 0) {
      shedder_.returned(now_);
      return;
    }
    auto const i = static_cast<std::size_t>(first.which);
    ++offered_[i];
    if (shedder_.refuses(static_cast<work_class>(i), now_)) {
      ++refused_[i];
      now_ += cost_of_refusal;
      return;
    }
    waits_.push_back(now_ - first.since);
    now_ += cost;
    ++served_;
  }

  steady::time_point now_{seconds(1000)}, due_{};
  steady::duration further_{0};
  load_shedder shedder_{target, [this](steady::time_point ready) { probe_ = ready; },
                        [this](steady::time_point) { return further_; }};
  std::optional<steady::time_point> probe_{};  ///< empty while the probe is not in the queue
  std::deque<waiting> queue_{};
  std::vector<steady::duration> waits_{};
  std::array<int, work_classes> offered_{}, refused_{};
  int first_ = static_cast<int>(work_class::lists);
  int next_ = 0, served_ = 0;
};

TEST_CASE("load: nothing is refused below the capacity, nor after a machine stood still") {
  busy_worker worker;
  worker.run(0.9, seconds(10));
  CHECK(worker.refused() == 0);
  worker.stand_still(milliseconds(700));
  worker.run(0.5, seconds(5));
  CHECK(worker.refused() == 0);
  CHECK(worker.shedder().level() == 0);
}

TEST_CASE("load: beyond the capacity admitted work waits about as long as the target, and the capacity is used") {
  for (double const load : {1.2, 2.0, 3.0, 5.0}) {
    CAPTURE(load);
    busy_worker worker;
    worker.run(load, seconds(2));
    worker.run(load, seconds(20));
    CHECK(worker.goodput(seconds(20)) >= 0.9);
    CHECK(worker.wait_at(0.5) <= 2 * target);
    CHECK(worker.wait_at(0.99) <= 4 * target);
    CHECK(worker.wait_at(0.5) >= target / 4);
  }
}

TEST_CASE("load: lists are refused before reads, and reads before changes") {
  busy_worker worker;
  worker.run(1.3, seconds(2));
  worker.run(1.3, seconds(20));
  CHECK(worker.share(work_class::lists) > 0.5);
  CHECK(worker.share(work_class::reads) < 0.1);
  CHECK(worker.share(work_class::changes) < 0.01);
  worker.run(2.4, seconds(2));
  worker.run(2.4, seconds(20));
  CHECK(worker.share(work_class::lists) > 0.95);
  CHECK(worker.share(work_class::reads) > 0.6);
  CHECK(worker.share(work_class::changes) < 0.1);
}

TEST_CASE("load: claims are refused before lists, and all of them before all lists") {
  busy_worker worker;
  worker.offer_claims();
  worker.run(1.15, seconds(2));
  worker.run(1.15, seconds(20));
  CHECK(worker.share(work_class::claims) > 0.3);
  CHECK(worker.share(work_class::lists) < worker.share(work_class::claims) / 1.5);
  CHECK(worker.share(work_class::reads) < 0.01);
  worker.run(1.8, seconds(2));
  worker.run(1.8, seconds(20));
  CHECK(worker.share(work_class::claims) > 0.95);
  CHECK(worker.share(work_class::lists) < 0.95);
  CHECK(worker.share(work_class::reads) < 0.1);
  CHECK(worker.share(work_class::changes) == 0);
}

TEST_CASE("load: when it is gone, everything is served again within two seconds") {
  busy_worker worker;
  worker.run(5, seconds(5));
  CHECK(worker.shedder().level() > 2);
  worker.run(0.3, seconds(2));
  worker.run(0.3, seconds(5));
  CHECK(worker.refused() == 0);
  // The level also falls without any request.
  worker.run(5, seconds(5));
  worker.stand_still(seconds(5));
  worker.run(0.3, seconds(5));
  CHECK(worker.refused() == 0);
}

TEST_CASE("load: a queue further on, that only lists and reads make, is refused by class as well") {
  busy_worker worker;
  constexpr double light = 0.1;
  worker.wait_further(target / 2);
  worker.run(light, seconds(5));
  CHECK(worker.refused() == 0);
  worker.wait_further(2 * target);
  worker.run(light, milliseconds(600));
  CHECK(worker.share(work_class::lists) > 0.3);
  CHECK(worker.share(work_class::changes) == 0);
  worker.wait_further(steady::duration(0));
  worker.run(light, seconds(2));
  worker.run(light, seconds(2));
  CHECK(worker.refused() == 0);
}

TEST_CASE("load: a target of 0 refuses nothing and asks for no probe") {
  int probes = 0;
  load_shedder none(steady::duration(0), [&](auto) { ++probes; }, nothing_further);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(none.refuses(work_class::lists, steady::time_point(milliseconds(i))));
  CHECK(probes == 0);
}

TEST_CASE("load: a probe is ready 10 ms after a request, there is only one at a time, and one more than requests") {
  std::vector<steady::time_point> probes;
  load_shedder shedder(target, [&](steady::time_point ready) { probes.push_back(ready); }, nothing_further);
  auto const entry = [](int ms) { return steady::time_point(seconds(1000) + milliseconds(ms)); };
  for (int i = 0; i < 100; ++i) shedder.refuses(work_class::reads, entry(i));
  CHECK(probes == std::vector{entry(10)});
  CHECK(shedder.returned(entry(100)) == milliseconds(90));
  CHECK(probes == std::vector{entry(10), entry(110)});
  CHECK(shedder.returned(entry(111)) == milliseconds(1));
  CHECK(probes.size() == 2);
  shedder.refuses(work_class::reads, entry(150));
  CHECK(probes == std::vector{entry(10), entry(110), entry(160)});
}

/// Heads are read together, and their requests are executed together, as if all waited for one answer of a store.
TEST_CASE("load: work that arrives in waves is refused by class too, and the capacity is used") {
  steady::time_point now{seconds(1000)};
  std::optional<steady::time_point> probe;
  load_shedder shedder(target, [&](steady::time_point ready) { probe = ready; }, nothing_further);
  constexpr int clients = 250;
  std::array<int, work_classes> offered{}, refused{};
  int next = 0, served = 0;
  // The load is twice the capacity: each client asks again when it has been answered, but not before its time.
  std::array<steady::time_point, clients> due;
  for (int i = 0; i < clients; ++i) due[static_cast<std::size_t>(i)] = now + i * milliseconds(1);
  auto const until = now + seconds(20);
  while (now < until) {
    int wave = 0;
    for (auto& entry : due) {
      if (entry > now) continue;
      auto const i = static_cast<std::size_t>(work_class::lists) + static_cast<std::size_t>(next++ % 3);
      ++offered[i];
      bool const no = shedder.refuses(static_cast<work_class>(i), now);
      (no ? refused[i] : wave) += 1;
      entry += clients * milliseconds(1);
      now += microseconds(20);
    }
    if (probe && *probe <= now) {
      probe.reset();
      shedder.returned(now);
    }
    now += std::max(wave * milliseconds(2), milliseconds(1));
    served += wave;
  }
  CHECK(served * 0.002 / 20 > 0.9);
  auto const share = [&](work_class which) {
    auto const i = static_cast<std::size_t>(which);
    return static_cast<double>(refused[i]) / offered[i];
  };
  CHECK(share(work_class::lists) > 0.9);
  CHECK(share(work_class::reads) > share(work_class::changes));
  CHECK(share(work_class::changes) < 0.1);
}

}  // namespace
}  // namespace svc
