#pragma once

#include "svc-runner/run_execution.hpp"
#include "svc/core/backoff.hpp"

#include <boost/asio/signal_set.hpp>

#include <set>

namespace svc::runner {

/// The program: registers, claims, runs, and ends on a signal. Worker-local; one for a process.
class job_runner {
 public:
  job_runner(asio::io_context& io, run_context& context, settings const& settings, std::vector<std::string> labels);

  /// Runs until SIGTERM or SIGINT and the end of the runs in progress; returns the exit code. A second signal ends at
  /// once. Throws `token_refused`, and `std::runtime_error` when the service refuses the registration or is not
  /// trusted.
  int run();
  /// True when no request is to be repeated any more; for `run_context`.
  bool hopeless() const { return hopeless_at_ && hopeless_at_->passed(); }

 private:
  task<> work();
  task<> enroll();
  task<bool> claim_some();
  task<> execute(claim claim, std::int64_t slot);
  void begin(claim claim);
  void next_signal();
  void stop();
  void hand_back();
  service_client::give_up stopping() const;

  asio::io_context& io_;
  run_context& context_;
  settings const& settings_;
  std::vector<std::string> labels_;
  registration registered_{};
  /// Before each registration that follows a claim of an unknown runner, so that a service that keeps forgetting this
  /// runner gets no loop of requests.
  backoff before_registration_{milliseconds(100), milliseconds(5000)};
  service_client::connection_ptr claiming_;
  std::set<std::int64_t> free_slots_{};
  std::map<std::int64_t, std::shared_ptr<run_execution>> running_{};  ///< by slot
  asio::basic_signal_set<executor> signals_;
  steady_timer grace_;
  steady_timer news_;  ///< never expires; cancelled when a slot is free or the runner stops
  std::optional<deadline> hopeless_at_{};
  bool stopping_ = false;
  bool at_once_ = false;
};

}  // namespace svc::runner
