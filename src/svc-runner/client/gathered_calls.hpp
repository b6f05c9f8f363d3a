#pragma once

#include "svc-runner/client/service_client.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace svc::runner {

/// The service's answer about one run in a request about several.
struct gathered_answer {
  enum class kind : std::uint8_t {
    done,
    lost,      ///< the claim is not ours any more
    again,     ///< the service did not accept it; send it again
    alone,     ///< send a separate request for this run: the service is older, or refused the request
    given_up,  ///< `give_up` ended the attempts
  };
  kind content = kind::alone;
  std::int64_t through = 0;  ///< of output: the last line that the service has
};

/// Requests of one kind about runs of this runner. Calls that arrive during a request share the next one, so that no
/// call waits for others. Worker-local; lives as long as the runner.
class gathered_calls {
 public:
  gathered_calls(asio::io_context& io, service_client& service, std::string target)
      : io_(io), service_(service), target_(std::move(target)) {}

  /// `body` is the body of a separate request about this run.
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
  bool known_ = true;  ///< the service knows this kind of request, as far as this runner has seen
};

}  // namespace svc::runner
