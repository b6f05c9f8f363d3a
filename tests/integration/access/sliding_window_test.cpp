#include "integration/access/fixture.hpp"

#include <random>

using namespace svc;
using namespace svc::access;

namespace {

/// One subject of the random run: its log in Redis, its model, and everything that was ever admitted.
struct subject {
  std::string name;
  std::int64_t limit;
  std::int64_t window;
  std::int64_t highest_limit;                     ///< since the window last changed
  std::map<std::int64_t, window_model> models{};  ///< by window: each length has its own log
  std::vector<std::int64_t> admitted{};           ///< under this window, oldest first
  std::optional<std::int64_t> expected_retry{};

  std::string log() const { return "svc:{" + name + "}:w:cli:" + std::to_string(window); }
};

class random_run {
 public:
  random_run(script_bench& bench, std::uint64_t seed, bool edits) : bench_(bench), draw_(seed), edits_(edits) {
    for (int i = 0; i < 24; ++i) {
      auto const limit = one_of({1, 2, 3, 5, 8, 20, 60});
      subjects_.push_back({std::to_string(seed) + "-" + std::to_string(i), limit, one_of(windows), limit});
    }
  }

  /// For so long, and on a busy machine until enough was asked.
  void run(std::int64_t micros) {
    auto const until = bench_.time() + micros;
    auto const at_last = until + 20'000'000;
    while (latest_ < until || (latest_ < at_last && (admitted_ <= 500 || denied_ <= 500))) {
      auto& s = subjects_[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(subjects_.size()) - 1))];
      if (edits_ && between(0, 19) == 0) edit(s);
      auto const burst = between(0, 3) == 0 ? s.limit + between(1, 3) : between(1, 2);
      for (std::int64_t i = 0; i < burst; ++i) ask(s);
      if (s.expected_retry && *s.expected_retry - latest_ < 2'000 && between(0, 1) == 0) {
        bench_.pass(*s.expected_retry);
        ask(s);
        CHECK_FALSE(s.expected_retry);
      }
    }
    CHECK(admitted_ > 500);
    CHECK(denied_ > 500);
  }

 private:
  static constexpr std::initializer_list<std::int64_t> windows{50'000, 100'000, 170'000, 300'000};

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution(low, high)(draw_);
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

  void edit(subject& s) {
    s.limit = between(1, 60);
    s.highest_limit = std::max(s.highest_limit, s.limit);
    s.expected_retry.reset();
    auto const window = one_of(windows);
    if (window == s.window || between(0, 3) != 0) return;
    // When the length returns to a former one, its log still counts.
    s.window = window;
    s.admitted = s.models.contains(window) ? s.models.at(window).stamps : std::vector<std::int64_t>{};
    s.highest_limit = 60;
  }

  void ask(subject& s) {
    auto const got = bench_.admit(s.log(), s.limit, s.window);
    auto const now = got.now_micros;
    CAPTURE(s.limit);
    CAPTURE(s.window);
    auto& model = s.models.try_emplace(s.window, window_model{s.window}).first->second;
    CHECK(answer_of(got) == model.ask(now, s.limit));
    CHECK(now >= latest_);
    latest_ = now;
    // The promise itself, checked only by the answers.
    auto const counted = s.admitted.end() - std::upper_bound(s.admitted.begin(), s.admitted.end(), now - s.window);
    CHECK(got.admitted == (counted < s.limit));
    if (s.expected_retry && now >= *s.expected_retry) CHECK(got.admitted);
    if (s.expected_retry && now < *s.expected_retry) CHECK_FALSE(got.admitted);
    ++(got.admitted ? admitted_ : denied_);
    if (got.admitted) s.admitted.push_back(now);
    s.expected_retry = got.admitted ? std::nullopt : std::optional(got.retry_micros);
    check_no_window_holds_more(s);
  }

  void check_no_window_holds_more(subject const& s) const {
    auto const most = static_cast<std::size_t>(s.highest_limit);
    if (s.admitted.size() <= most) return;
    CHECK(s.admitted.back() - s.admitted[s.admitted.size() - 1 - most] >= s.window);
  }

  script_bench& bench_;
  std::mt19937_64 draw_;
  bool edits_;
  std::vector<subject> subjects_{};
  std::int64_t latest_ = 0;
  int admitted_ = 0, denied_ = 0;
};

}  // namespace

TEST_CASE("random requests under fixed limits: each answer is the model's") {
  script_bench bench;
  for (std::uint64_t const seed : {11, 12, 13}) {
    CAPTURE(seed);
    random_run(bench, seed, false).run(1'500'000);
  }
}

TEST_CASE("random requests while limits and windows are edited: each answer is the model's") {
  script_bench bench;
  for (std::uint64_t const seed : {21, 22, 23}) {
    CAPTURE(seed);
    random_run(bench, seed, true).run(1'500'000);
  }
}

TEST_CASE("another window length starts empty, the former one is unchanged") {
  script_bench bench;
  std::string const a = "svc:{s}:w:cli:60", b = "svc:{s}:w:cli:61";
  CHECK(bench.admit(a, 2, 60'000'000).remaining == 1);
  CHECK(bench.admit(a, 2, 60'000'000).remaining == 0);
  CHECK_FALSE(bench.admit(a, 2, 60'000'000).admitted);
  CHECK(bench.admit(b, 2, 61'000'000).remaining == 1);
  CHECK_FALSE(bench.admit(a, 2, 60'000'000).admitted);
}
