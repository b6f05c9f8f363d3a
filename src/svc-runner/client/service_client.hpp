#pragma once

#include "svc-runner/client/http_connection.hpp"
#include "svc-runner/client/messages.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::runner {

/// The service does not accept the token (any more): the runner cannot continue.
class token_refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The outcome of a call about a claim.
enum class claim_verdict : std::uint8_t {
  done,
  lost,     ///< the claim is not ours any more: stop, report nothing
  refused,  ///< the service will never accept it; a bug of one side
  given_up  ///< `give_up` ended the attempts
};

/// The client of the service's runner API: connections and retries. Worker-local; lives as long as the runner.
class service_client {
 public:
  using give_up = std::function<bool()>;
  using connection_ptr = std::unique_ptr<http_connection>;

  service_client(asio::io_context& io, endpoint where, asio::ssl::context& tls, secret_string token)
      : io_(io), where_(std::move(where)), tls_(tls), token_(std::move(token)) {}

  /// Sends one request over a connection of the pool. Throws `connection_lost`, and `token_refused` on 401.
  task<http_reply> post(std::string target, std::string body, milliseconds patience);
  /// Does the same over the caller's own connection, which the caller may close to end the request.
  task<http_reply> post_over(http_connection& own, std::string target, std::string body, milliseconds patience);
  /// Repeats the request while the service answers that it is unavailable or busy. Returns nothing when `enough` ends
  /// the attempts. `own` is a connection as in `post_over`, or null. Throws `untrusted_service` if no trusted server
  /// has ever answered, because then the configuration is wrong.
  task<std::optional<http_reply>> insist(std::string target, std::string body, milliseconds patience,
                                         http_connection* own, give_up enough);

  connection_ptr take();
  void put_back(connection_ptr used);

  task<> sleep(milliseconds how_long);

 private:
  static constexpr std::size_t most_idle = 64;

  asio::io_context& io_;
  endpoint where_;
  asio::ssl::context& tls_;
  secret_string token_;
  std::vector<connection_ptr> idle_{};
  bool answered_ = false;
};

/// Time limit of a response that is no long poll.
inline constexpr milliseconds usual_patience{15'000};

/// Returns the meaning of a reply about a claim; `done` for any success.
claim_verdict verdict_of(http_reply const& reply);

}  // namespace svc::runner
