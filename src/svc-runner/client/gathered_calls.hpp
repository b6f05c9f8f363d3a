#pragma once

#include "svc-runner/client/service_client.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace svc::runner {

/// What the service said of one run in a request about several.
struct gathered_answer {
  enum class kind : std::uint8_t {
    done,
    lost,      ///< the claim is not ours any more
    again,     ///< it was not taken; send it again
    alone,     ///< ask for this run by itself: an older service, or it refused the request
    given_up,  ///< `give_up` ended the attempts
  };
  kind content = kind::alone;
  std::int64_t through = 0;  ///< of output: up to where the service has it
};

/// Requests of one kind about runs of this runner: what comes while one is on its way goes together in the next one,
/// so that nothing waits for others. Worker-local; lives as long as the runner.
class gathered_calls {
 public:
  gathered_calls(asio::io_context& io, service_client& service, std::string target)
      : io_(io), service_(service), target_(std::move(target)) {}

  /// `body`: of the request about this run alone.
  task<gathered_answer> send(std::string run, std::string body, service_client::give_up enough);

 private:
  struct call;
  using call_ptr = std::shared_ptr<call>;

  std::vector<call_ptr> take();
  task<> pump();

  asio::io_context& io_;
  service_client& service_;
  std::string target_;
  std::deque<call_ptr> waiting_{};
  bool sending_ = false;
  bool known_ = true;  ///< the service knows this kind of request, as far as we have seen
};

}  // namespace svc::runner
