// Redis reaches `maxmemory`: it refuses writes, or it evicts what it likes.
#include "measure.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

namespace svc::test {
namespace {

/// Redis loses epochs that it had confirmed, and windows as often as it likes: docs/operating.md asks for
/// `noeviction`.
constexpr promises when_redis_evicts{.late = std::chrono::seconds(2), .windows = 1'000};

fault refusing_writes() {
  return {"Redis at maxmemory, noeviction",
          [](rig& target) { target.redis().primary().ask({"CONFIG", "SET", "maxmemory", "1"}); },
          [](rig& rig) { rig.redis().primary().ask({"CONFIG", "SET", "maxmemory", "0"}); },
          {}};
}

/// Writes other data without end, so that Redis has to evict all the time.
class flood {
 public:
  explicit flood(rig& rig) : redis_(rig.redis().primary()) {
    auto const info = redis_.ask({"INFO", "memory"});
    auto const used = std::stoll(info.substr(info.find("used_memory:") + 12));
    redis_.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    redis_.ask({"CONFIG", "SET", "maxmemory", std::to_string(used + room)});
    thread_ = std::thread([this] {
      redis_session session(redis_.socket());
      for (int i = 0; !over_; ++i) session.ask({"SET", "other:" + std::to_string(i), std::string(4096, 'x')});
    });
  }
  ~flood() {
    over_ = true;
    thread_.join();
    redis_.ask({"CONFIG", "SET", "maxmemory", "0"});
  }
  flood(flood const&) = delete;
  flood& operator=(flood const&) = delete;

  std::string evicted() const {
    auto const info = redis_.ask({"INFO", "stats"});
    auto const position = info.find("evicted_keys:") + 13;
    return info.substr(position, info.find('\r', position) - position);
  }

 private:
  static constexpr long long room = 64 * 1024;
  private_redis& redis_;
  std::atomic<bool> over_{false};
  std::thread thread_{};
};

fault evicting(std::shared_ptr<std::optional<flood>> const& others) {
  return {"Redis at maxmemory, allkeys-lru", [others](rig& target) { others->emplace(target); },
          [others](rig&) {
            MESSAGE((*others)->evicted() << " keys evicted");
            CHECK((*others)->evicted() != "0");
            others->reset();
          },
          when_redis_evicts};
}

TEST_CASE("full memory: Redis refuses writes or evicts, good tokens pass, revoked ones stay refused") {
  if (!is_long_form()) return;
  rig rig({.stores = single_stores});
  load_actors const as(rig);
  measure_all(rig, as, {refusing_writes(), evicting(std::make_shared<std::optional<flood>>())}, usual_length);
}

}  // namespace
}  // namespace svc::test
