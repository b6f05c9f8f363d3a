#pragma once

#include "redis/connection.hpp"
#include "redis/transport.hpp"

namespace svc::redis {

/// The replies on a new connection.
struct handshake_result {
  std::vector<outcome> got{};  ///< one for each step that was answered
  std::string fault{};         ///< why the connection cannot be used; empty when it can
};

/// Opens the channel, sends all steps at once and reads their replies, all within the limit. Afterwards the channel
/// is open and has nothing unread, or there is a fault. The data that the steps refer to outlives the call.
task<handshake_result> converse(asio::io_context& io, std::shared_ptr<transport> transport,
                                std::vector<handshake_step> steps, milliseconds limit);

}  // namespace svc::redis
