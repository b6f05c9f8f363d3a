#pragma once

#include "redis/channel.hpp"
#include "redis/link.hpp"

namespace svc::redis {

/// The replies on a new connection.
struct conversation {
  std::vector<outcome> got{};  ///< one for each step that was answered
  std::string fault{};         ///< why the connection cannot be used; empty when it can
};

/// Opens the channel, sends all steps at once and reads their replies, all within the limit. Afterwards the channel
/// is open and has nothing unread, or there is a fault. The data that the steps refer to outlives the call.
task<conversation> converse(asio::io_context& io, std::shared_ptr<channel> channel, std::vector<handshake_step> steps,
                            milliseconds limit);

}  // namespace svc::redis
