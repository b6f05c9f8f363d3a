#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace svc::redis {

/// Calls of one script that are made in the same round of the loop, sent as one EVALSHA. The script takes the keys
/// and arguments of any number of calls, one call after the other, and replies with an array of one reply for each.
/// All keys of a batch go to one server. Worker-local; the client outlives it.
class script_batch {
 public:
  script_batch(client& redis, script const& what);
  ~script_batch();
  script_batch(script_batch const&) = delete;
  script_batch& operator=(script_batch const&) = delete;

  /// As `client::evaluate`, in the order of the calls. The views live until it returns. A batch waits as long as its
  /// most patient call, but no longer than one command. If it is missed or unsent, so are all its calls.
  task<outcome> evaluate(std::span<std::string_view const> keys, std::span<std::string_view const> arguments,
                         deadline until);

  /// Redis does nothing else while a batch runs: more calls than this go out as several batches.
  static constexpr std::size_t most_calls = 32;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::redis
