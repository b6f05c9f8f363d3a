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
  /// Bytes of the secrets of one check, which are looked for in what it shows. Preparing that search takes
  /// milliseconds for so many, on the thread of all checks.
  static constexpr std::size_t most_secret_bytes = 64UL * 1024;

  explicit filler(check_values const& values);

  /// `fault()` is set, and the text empty, if a variable is missing or the text would be too long.
  std::string fill(checks::text_with_variables const& text);
  /// The same for a text that is itself a secret.
  std::string fill_secret(checks::text_with_variables const& text);
  void hide(std::string_view secret);

  /// Also set if the secrets are more than `most_secret_bytes` together; the check then asks nothing of its target.
  std::optional<checks::failure> const& fault() const { return fault_; }
  /// Of all that was filled in until now, and of the variables that are secret. Null if there are none, or too many:
  /// the fault of the latter shows nothing of them.
  secret_patterns_ptr patterns() const;
  /// False if `patterns` is null because there is nothing to mask.
  bool has_secrets() const { return !secrets_.empty() || !values_.secret.empty(); }

 private:
  void count_secret(std::size_t size);

  check_values const& values_;
  std::size_t secret_bytes_ = 0;
  std::vector<secret_string> secrets_{};
  std::optional<checks::failure> fault_{};
};

/// Returns milliseconds, rounded up: an attempt that took time never shows 0.
std::uint32_t in_ms(microseconds time);
/// Returns nothing for a phase that was not reached.
std::optional<std::uint32_t> phase_ms(microseconds time);
checks::timings timings_of(egress::http_timings const& measured);

/// Returns the result of an attempt that ended with a client's failure; its message is masked. `failure` is not
/// `none`. `cancelled` is taken for `internal`: nobody sees that result.
checks::result_of_check failed_with(egress::failure failure, std::string_view message, filler const& fill);
checks::result_of_check failed_with(checks::failure failure, filler const& fill);

/// The host that a target names, or the result of the attempt if it names none.
struct named_host {
  std::optional<egress::host> address{};
  std::optional<checks::result_of_check> fault{};
};
named_host host_of(check_config const& config, filler& fill);

/// What an attempt may use.
struct probe_tools {
  asio::io_context& io;
  egress::resolver& names;
  egress::guard const& address_rules;
  egress::http_client& http;
  egress::stream_client& streams;
  egress::datagram_client& datagrams;
  egress::pinger& pings;
  work_scheduler* shares;  ///< of the thread's time; null if nobody shares it
};

/// Runs `work`, which takes at most `steps` of about 8 ns: in this turn when the project's turn comes, or on the
/// second thread if it may take longer than 10 ms. `work` may use what the caller's coroutine holds.
task<> judge_in_turn(probe_tools tools, std::uint64_t steps, std::function<void()> work);

/// One attempt. `config` and `values` outlive it.
struct check_attempt {
  check_config const& config;
  check_values const& values;
  timestamp started;  ///< of the check
  milliseconds address_age;
  deadline end;
  std::shared_ptr<egress::connection_gate> gate{};
};

}  // namespace svc::checks
