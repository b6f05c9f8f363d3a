#pragma once

#include "svc/core/masker.hpp"
#include "svc/core/work_scheduler.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/egress/failure.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::checks {

/// Texts of a check with its variables filled in, and the secrets among them. Lives while one attempt runs.
class filler {
 public:
  /// Maximum size of the secrets of one check, which are searched in its output. For this size the preparation of the
  /// search takes milliseconds on the thread that runs all checks.
  static constexpr std::size_t most_secret_bytes = 64UL * 1024;

  explicit filler(check_values const& values);

  /// Sets `fault()` and returns an empty text if a variable is missing or the text would be too long.
  std::string fill(text_with_variables const& text);
  /// Like `fill`, for a text that is itself a secret.
  std::string fill_secret(text_with_variables const& text);
  void hide(std::string_view secret);

  /// Also set if the secrets together exceed `most_secret_bytes`; the check then sends nothing to its target.
  std::optional<failure> const& fault() const { return fault_; }
  /// Returns patterns for all secrets filled in so far and for the secret variables. Returns null if there are none,
  /// or too many; the fault of the latter contains no secret.
  secret_patterns_ptr patterns() const;
  /// False if `patterns` is null because there is nothing to mask.
  bool has_secrets() const { return !secrets_.empty() || !values_.secret.empty(); }

 private:
  void count_secret(std::size_t size);

  check_values const& values_;
  std::size_t secret_bytes_ = 0;
  std::vector<secret_string> secrets_{};
  std::optional<failure> fault_{};
};

/// Returns milliseconds, rounded up: an attempt that took time never shows 0.
std::uint32_t in_ms(microseconds time);
/// Returns `std::nullopt` for a phase that was not reached.
std::optional<std::uint32_t> phase_ms(microseconds time);
timings timings_of(egress::http_timings const& measured);

/// Returns the result of an attempt that ended with a client's failure; its message is masked. Requires a `failure`
/// other than `none`. `cancelled` becomes `internal`, because that result is not used.
result_of_check failed_with(egress::failure failure, std::string_view message, filler const& fill);
result_of_check failed_with(failure failure, filler const& fill);

/// The host that a target names, or the result of the attempt if it names none.
struct named_host {
  std::optional<egress::host> address{};
  std::optional<result_of_check> fault{};
};
named_host host_of(check_config const& config, filler& fill);

/// The tools of an attempt.
struct probe_tools {
  asio::io_context& io;
  egress::resolver& names;
  egress::address_policy const& address_rules;
  egress::http_client& http;
  egress::stream_client& streams;
  egress::datagram_client& datagrams;
  egress::pinger& pings;
  work_scheduler* shares;  ///< divides the thread's time; null if the time is not shared
};

/// Runs `work`, which takes at most `steps` of about 8 ns. Runs it on this thread once the project's turn comes, or
/// on the second thread if it may take longer than 10 ms. `work` may use objects of the caller's coroutine.
task<> evaluate_in_turn(probe_tools tools, std::uint64_t steps, std::function<void()> work);

/// One attempt. `config` and `values` outlive it.
struct check_attempt {
  check_config const& config;
  check_values const& values;
  timestamp started;  ///< start of the check
  milliseconds address_age;
  deadline end;
  std::shared_ptr<egress::connection_gate> gate{};
};

}  // namespace svc::checks
