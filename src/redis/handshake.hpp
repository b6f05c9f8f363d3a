#pragma once

#include "redis/multiplexer.hpp"

namespace svc::redis {

/// One command that a fresh connection sends before anybody may use it. Views into the settings and scripts.
struct handshake_step {
  std::string_view name;  ///< for the log: without arguments, which may hold a password
  std::vector<std::string_view> arguments;
  std::string_view expected{};  ///< the text of a good reply; empty: any reply but an error
  bool may_fail = false;
};

/// AUTH, SELECT, CLIENT SETNAME, SCRIPT LOAD or PING, as the settings ask. `database` is the number as text; it and
/// the other arguments outlive the steps.
std::vector<handshake_step> handshake_steps(settings const& where, std::string_view database,
                                            std::vector<script const*> const& scripts);

/// Why the connection cannot be used after these outcomes, one per step; empty when it can. `end` is why
/// the link has ended, if it has. What Redis said explains more than what is missing behind it: a full or protected
/// server answers the first command, whichever it is, and hangs up.
std::string handshake_fault(std::vector<handshake_step> const& steps, std::vector<outcome const*> const& got,
                            std::string const& end);

}  // namespace svc::redis
