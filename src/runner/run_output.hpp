#pragma once

#include "runner/launcher.hpp"
#include "runner/output_queue.hpp"
#include "runner/output_text.hpp"
#include "runner/service_client.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::runner {

/// A run's output on its way: read from its processes, masked, limited, numbered, and sent in batches of about 100
/// ms. While the service is away a script that prints a lot waits at its pipe. Worker-local; owned by the run.
class run_output {
 public:
  run_output(asio::io_context& io, service_client& service, claim const& of, secret_patterns_ptr secrets,
             run_limits const& limits, service_client::give_up enough);

  /// Until the pipe's end.
  task<> read(supervised::pipe_end& from, output_stream stream);
  /// A line of our own, beyond all limits.
  void say(std::string text);

  /// Sends until everything that comes before `close` has arrived, or nothing more can. Run it once, beside the
  /// readers; its verdict is `verdict()`.
  task<> send();
  /// No more lines will come.
  void close();
  bool sent() const { return sent_; }
  claim_verdict verdict() const { return verdict_; }
  std::int64_t last_seq() const { return queue_.last_seq(); }
  /// Completes once `sent()`.
  task<> wait_sent();

 private:
  void add(output_stream stream, std::vector<std::string> lines);
  task<> changed();
  task<claim_verdict> send_batch(std::vector<output_line> lines);

  static constexpr std::size_t most_waiting = 4UL * 1024 * 1024;
  static constexpr milliseconds flush_interval{100};

  service_client& service_;
  std::string target_, claim_id_;
  secret_patterns_ptr secrets_;
  service_client::give_up enough_;
  output_queue queue_{};
  output_budget budget_;
  steady_timer news_;  ///< never expires; cancelled when something changed
  steady_timer flush_;
  bool closed_ = false;
  bool sent_ = false;
  claim_verdict verdict_ = claim_verdict::done;
};

}  // namespace svc::runner
