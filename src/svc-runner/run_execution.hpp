#pragma once

#include "svc-runner/adapter.hpp"
#include "svc-runner/client/claim_keeper.hpp"
#include "svc-runner/client/script_source.hpp"
#include "svc-runner/output/run_output.hpp"
#include "svc-runner/supervision/launcher.hpp"
#include "svc/core/masker.hpp"

#include <functional>
#include <memory>

namespace svc::runner {

/// The state that all runs of a runner share. It must outlive them.
struct run_context {
  asio::io_context& io;
  service_client& service;
  claim_keeper& keeper;
  gathered_calls& outputs;
  gathered_calls& completions;
  script_source& scripts;
  launcher& processes;
  settings const& settings;
  toolbox const& tools;
  isolation const& isolation;
  asio::thread_pool& builders;     ///< for work that would block the event loop
  std::function<bool()> hopeless;  ///< this runner ends soon: the client repeats no request any more
};

enum class stop_reason : std::uint8_t {
  none,
  cancelled,
  timed_out,
  handed_back,  ///< this runner ends: another one may take the run
  lost,         ///< the claim is not ours any more; overrides all others
};

/// One claimed run, from its claim until the service has answered the completion. Worker-local; owned by shared
/// pointers, because its heartbeat may outlive `run` by one request.
class run_execution : public std::enable_shared_from_this<run_execution> {
 public:
  /// No two runs have the same `slot` at the same time.
  run_execution(run_context& context, claim claim, std::int64_t slot);

  /// Runs the tests and reports the result. Throws `token_refused`.
  task<> run();
  /// Ends the running test; `run` then reports to the service and returns.
  void stop(stop_reason reason);

 private:
  void keep_claim();
  task<> heartbeat();
  task<> learn_secrets();
  /// Returns false if the run does not belong to this runner any more, or must not stay with it.
  task<bool> bring_scripts();
  task<completion> run_tests();
  task<> run_each(scratch const& directory, job_type type, completion& into);
  task<test_result> run_test(scratch const& directory, job_type type, std::size_t number);
  task<supervision_report> run_process(command_line line, scratch const& directory);
  test_result result_of(supervision_report const& report, job_type type, std::string id, milliseconds took);
  /// The service's answer; `reason` if the service refused.
  struct call_report {
    claim_verdict verdict = claim_verdict::given_up;
    std::string reason{};
  };
  task<call_report> ask(std::string_view call, std::string body);
  task<call_report> complete(completion const& completion);
  task<> report_with_output(completion completion);
  /// Reports the result, after all output was sent or has failed.
  task<> report(completion completion);
  void report(call_report const& said, outcome status);
  void start_timeout();
  void spawn(task<> content);
  std::string target(std::string_view call) const;
  service_client::give_up enough();

  run_context& context_;
  claim claim_;
  std::int64_t slot_;
  secret_patterns_ptr secrets_{};  ///< set before the first script starts
  run_output output_;
  steady_timer timeout_;
  service_client::connection_ptr pulse_{};  ///< the connection of separate heartbeats for this run
  supervised_process* current_ = nullptr;   ///< the test's processes, while they run
  std::int64_t processes_ = 0;              ///< number of started processes; makes names unique
  stop_reason stop_ = stop_reason::none;
  bool over_ = false;
};

}  // namespace svc::runner
