#pragma once

#include "app/configuration/configuration.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// A named descriptor from the service manager: sd_listen_fds(3).
struct inherited_socket {
  std::string name;
  int descriptor;

  friend bool operator==(inherited_socket const&, inherited_socket const&) = default;
};

/// The values of LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES; unset ones are empty.
struct activation {
  std::string_view pid, count, names;
};

/// Returns the sockets that were passed to the process `self`, or none if they were meant for another process. Throws
/// `std::runtime_error` when the values contradict each other. Pure.
std::vector<inherited_socket> read_inherited(activation const& notified, long self);

/// Returns the same from this process's environment; see `take_variable`.
std::vector<inherited_socket> take_inherited();

/// Returns the name of each listener in the order of the configuration: `public` or `internal`. From the second of
/// its kind on, the name includes the number (`public-2`). The last name is `admin`.
std::vector<std::string> listener_names(configuration const& config);

/// Returns the descriptor of each name, or `net::not_inherited`. Throws `std::runtime_error` with the expected names
/// for a socket that belongs to no listener, or to one that has another already.
std::vector<int> descriptors_for(std::vector<std::string> const& names, std::vector<inherited_socket> const& all);

}  // namespace svc::app
