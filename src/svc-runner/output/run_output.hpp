#pragma once

#include "svc-runner/client/gathered_calls.hpp"
#include "svc-runner/output/output_text.hpp"
#include "svc-runner/supervision/launcher.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::runner {

/// A run's output: read from its processes, masked, limited, numbered, and sent in batches about every 100 ms. While
/// the service is unreachable, a script that prints a lot blocks on its pipe. A small output that was not sent before
/// `close` stays here for the completion, if the claim allows that. Worker-local; owned by the run.
class run_output {
 public:
  run_output(asio::io_context& io, service_client& service, gathered_calls& together, claim const& claim,
             run_limits const& limits, service_client::give_up enough);

  /// Reads until the pipe's end and masks these secrets. Turns of the event loop stay short, however much data
  /// arrives.
  task<> read(supervised_process::pipe_end& end, output_stream stream, secret_patterns_ptr secrets);
  /// Adds a line of the runner itself, regardless of the limits.
  void say(std::string text);

  /// Sends until every line added before `close` has arrived or stays here, or no more can arrive. Run it once,
  /// concurrently with the readers; the outcome is `verdict()`.
  task<> send();
  /// Ends the output: no more lines follow.
  void close();
  /// Returns all lines, if they stayed here. Call it after `wait_sent`.
  std::optional<std::vector<output_line>> whole() const;
  /// Sends the lines that stayed here.
  task<> send_rest();
  bool sent() const { return sent_; }
  claim_verdict verdict() const { return verdict_; }
  std::int64_t last_seq() const { return queue_.last_seq(); }
  /// Completes once `sent()`.
  task<> wait_sent();

 private:
  void add(output_stream stream, std::vector<std::string> lines);
  void release_later(steady_timer& timer, std::shared_ptr<line_splitter> const& lines, output_stream stream);
  task<> changed();
  bool stays() const;
  task<claim_verdict> send_batch(std::vector<output_line> lines);
  task<claim_verdict> send_alone(std::string body);

  static constexpr std::size_t most_waiting = 4UL * 1024 * 1024;
  static constexpr milliseconds flush_interval{100};
  /// Time limit for holding a line that may end with the start of a secret. A prefix that cannot become a secret any
  /// more is written at once.
  static constexpr milliseconds longest_hold{300};

  service_client& service_;
  gathered_calls& together_;
  std::string run_id_, claim_id_;
  service_client::give_up enough_;
  output_queue queue_{};
  output_budget budget_;
  steady_timer news_;  ///< never expires; cancelled on a change
  steady_timer flush_;
  std::size_t most_whole_;  ///< bytes of text that the completion may contain; 0: none
  bool begun_ = false;      ///< a batch was sent
  bool closed_ = false;
  bool sent_ = false;
  claim_verdict verdict_ = claim_verdict::done;
};

}  // namespace svc::runner
