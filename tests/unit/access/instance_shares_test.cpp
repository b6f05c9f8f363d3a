// A model of a fleet: instances that join, leave, die and lose their stores, each with the real count. The invariant
// concerns the sum of their shares, in parts of one limit.
#include "svc/access/instance_count.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;
using access::instance_count;

namespace {

using divisor = std::function<int(instance_count const&, steady::time_point)>;

int as_written(instance_count const& count, steady::time_point now) {
  return count.divisor(now);
}

struct member {
  int id;
  std::chrono::seconds phase;
  bool postgres = true, redis = true;  ///< the stores that the instance reaches
  instance_count count{1};
};

/// Time passes in seconds. Instances with a heartbeat in the same second take their turns in random order.
class fleet_model {
 public:
  explicit fleet_model(std::uint32_t seed, divisor divisor = as_written)
      : random_(seed), divisor_(std::move(divisor)) {}

  int draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::vector<member>& all() { return all_; }

  void join() {
    all_.push_back({.id = next_++, .phase = (now_.time_since_epoch() / 1s) % 3 * 1s});
    renew(all_.back());
  }
  void leave(std::size_t which) {
    if (all_[which].postgres) in_postgres_.erase(all_[which].id);
    if (all_[which].redis) in_redis_.erase(all_[which].id);
    die(which);
  }
  void die(std::size_t which) { all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(which)); }
  void lose_redis_data() { in_redis_.clear(); }

  void pass(std::chrono::seconds time) {
    for (; time > 0s; time -= 1s) {
      now_ += 1s;
      std::shuffle(all_.begin(), all_.end(), random_);
      for (auto& member : all_) {
        if (now_.time_since_epoch() % 3s == member.phase) renew(member);
      }
    }
  }

  enum class whose : std::uint8_t { all, of_postgres };
  /// Returns the sum of shares of the instances that decide locally: all, or those that PostgreSQL has answered.
  double shares(whose which) const {
    double sum = 0;
    for (auto const& member : all_) {
      bool const counts =
          which == whose::all || (member.postgres && member.count.said(instance_count::registry::postgres));
      if (!member.redis && counts) sum += 1.0 / divisor_(member.count, now_);
    }
    return sum;
  }

 private:
  using list = std::map<int, steady::time_point>;

  int written(list& list, member const& member) {
    list[member.id] = now_;
    std::erase_if(list, [this](auto const& entry) { return now_ - entry.second >= instance_age; });
    return static_cast<int>(list.size());
  }
  void renew(member& member) {
    if (member.redis)
      member.count.heard(instance_count::registry::redis, written(in_redis_, member), now_);
    else
      member.count.missed(instance_count::registry::redis);
    if (member.postgres)
      member.count.heard(instance_count::registry::postgres, written(in_postgres_, member), now_);
    else
      member.count.missed(instance_count::registry::postgres);
  }

  std::mt19937 random_;
  divisor divisor_;
  steady::time_point now_{1000s};
  int next_ = 0;
  std::vector<member> all_{};
  list in_postgres_{}, in_redis_{};
};

constexpr double a_bit = 1e-9;

/// Simulates any event at any time. Returns the highest sum of the instances that reach PostgreSQL.
double highest_of_anything(std::uint32_t seed, divisor const& divisor = as_written) {
  fleet_model fleet(seed, divisor);
  double highest = 0;
  fleet.join();
  for (int step = 0; step < 60; ++step) {
    auto& all = fleet.all();
    auto const some = all.empty() ? 0 : static_cast<std::size_t>(fleet.draw(static_cast<int>(all.size())));
    switch (fleet.draw(9)) {
      case 0:
        // Several instances join at once, without Redis.
        for (int i = fleet.draw(12); i > 0; --i) {
          fleet.join();
          fleet.all().back().redis = false;
        }
        break;
      case 1:
        fleet.join();
        break;
      case 2:
        if (!all.empty()) fleet.leave(some);
        break;
      case 3:
        if (!all.empty()) fleet.die(some);
        break;
      case 4:
        if (!all.empty()) all[some].postgres = !all[some].postgres;
        break;
      case 5:
        if (!all.empty()) all[some].redis = !all[some].redis;
        break;
      case 6:
        for (auto& member : all) member.redis = false;
        break;
      case 7:
        for (auto& member : all) member.redis = member.postgres = true;
        fleet.lose_redis_data();
        break;
      default:
        break;
    }
    for (int i = fleet.draw(20); i >= 0; --i) {
      highest = std::max(highest, fleet.shares(fleet_model::whose::of_postgres));
      fleet.pass(1s);
    }
  }
  return highest;
}

/// Simulates one partition: some lose Redis at one time, the others later; links to PostgreSQL fail and return;
/// instances die and leave. Returns the highest sum of all.
double highest_of_a_partition(std::uint32_t seed, divisor const& divisor = as_written) {
  fleet_model fleet(seed, divisor);
  for (int n = 1 + fleet.draw(8); n > 0; --n) fleet.join();
  fleet.pass(40s);
  for (auto& member : fleet.all()) member.redis = fleet.draw(2) == 0;
  int const rest_loses = fleet.draw(30);
  double highest = 0;
  for (int step = 0; step < 30; ++step) {
    auto& all = fleet.all();
    if (all.empty()) break;
    auto const some = static_cast<std::size_t>(fleet.draw(static_cast<int>(all.size())));
    if (step == rest_loses)
      for (auto& member : all) member.redis = false;
    auto const count = fleet.draw(8);
    if (count < 4) all[some].postgres = !all[some].postgres;
    if (count == 4) fleet.leave(some);
    if (count == 5) fleet.die(some);
    for (int i = fleet.draw(20); i >= 0; --i) {
      highest = std::max(highest, fleet.shares(fleet_model::whose::all));
      fleet.pass(1s);
    }
  }
  return highest;
}

double highest_of(double (*scenario)(std::uint32_t, divisor const&), divisor const& divisor = as_written) {
  double highest = 0;
  // The sanitizers take fifty times as long.
  for (std::uint32_t seed = 1; seed <= 200; ++seed) highest = std::max(highest, scenario(seed, divisor));
  return highest;
}

/// Uses the current answer of the stores, even if it is lower.
int forgetful(instance_count const& count, steady::time_point) {
  return std::max({1, count.said(instance_count::registry::postgres).value_or(0),
                   count.said(instance_count::registry::redis).value_or(0)});
}

int without_square(instance_count const& count, steady::time_point) {
  return count.count();
}

}  // namespace

TEST_CASE("shares of instances that reach PostgreSQL never exceed twice the limit, whatever happens") {
  auto const highest = highest_of(highest_of_anything);
  CHECK(highest <= 2 + a_bit);
  CHECK(highest >= 1);
  MESSAGE("highest sum of shares: " << highest);
}

TEST_CASE("shares of all instances never exceed twice the limit in a partition") {
  auto const highest = highest_of(highest_of_a_partition);
  CHECK(highest <= 2 + a_bit);
  CHECK(highest >= 1.5);
  MESSAGE("highest sum of shares: " << highest);
}

TEST_CASE(
    "the model notices a count that shrinks without Redis, and newcomers that divide by the number that they see") {
  CHECK(highest_of(highest_of_a_partition, forgetful) > 2);
  CHECK(highest_of(highest_of_anything, without_square) > 2);
}
