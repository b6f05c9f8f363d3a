#pragma once

#include "redis/transport.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// One command that a new connection sends before it may be used. Views into the settings and scripts.
struct handshake_step {
  std::string_view name;  ///< for the log; the arguments may hold a password
  std::vector<std::string_view> arguments;
  std::string_view expected{};  ///< the text of a good reply, or of its first element; empty: any reply but an error
  bool may_fail = false;
  std::string_view otherwise{};  ///< the fault of an unexpected reply; empty: a general text
};

/// A step that proves that the server is a primary.
inline handshake_step const role_step{"ROLE", {"ROLE"}, "master", false, "the server is a replica"};

/// Returns AUTH, SELECT, CLIENT SETNAME, SCRIPT LOAD or PING, and ROLE, as the settings require. `database` is the
/// number as text; it and the other arguments outlive the steps.
std::vector<handshake_step> handshake_steps(settings const& where, std::string_view database,
                                            std::vector<script const*> const& scripts);

/// Returns the reason why the connection cannot be used after these outcomes, one for each step; empty if it
/// can. `end` is the reason of the connection's end, if it has ended. An error reply takes precedence,
/// because it explains more than the missing replies after it. A full or protected server answers the first
/// command, whichever it is, with an error and closes the connection.
std::string handshake_fault(std::vector<handshake_step> const& steps, std::vector<outcome const*> const& got,
                            std::string const& end);

/// The replies on a new connection.
struct handshake_result {
  std::vector<outcome> got{};  ///< one for each step that was answered
  std::string fault{};         ///< reason why the connection cannot be used; empty if it can
};

/// Opens the transport, sends all steps at once and reads their replies, all within the limit. Afterwards the
/// transport is open and has nothing unread, or there is a fault. The data that the steps refer to outlives the call.
task<handshake_result> converse(asio::io_context& io, std::shared_ptr<transport> transport,
                                std::vector<handshake_step> steps, milliseconds limit);

}  // namespace svc::redis
