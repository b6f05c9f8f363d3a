#pragma once

#include "app/configuration/configuration.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// A descriptor that the service manager passed on with its name: sd_listen_fds(3).
struct inherited_socket {
  std::string name;
  int descriptor;

  friend bool operator==(inherited_socket const&, inherited_socket const&) = default;
};

/// The values of LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES; those not set are empty.
struct activation {
  std::string_view pid, count, names;
};

/// What was passed on to the process `self`: nothing when it was meant for another one. Pure. Throws
/// `std::runtime_error` when the values contradict each other.
std::vector<inherited_socket> read_inherited(activation const& told, long self);

/// The same from this process's environment; see `take_variable`.
std::vector<inherited_socket> take_inherited();

/// What each listener is called, in the order of the configuration: `public` or `internal`, from the second of its
/// kind on with its number (`public-2`); at the end `admin`.
std::vector<std::string> listener_names(configuration const& config);

/// For each name its descriptor, or `net::not_inherited`. Throws `std::runtime_error` for a socket that belongs to no
/// listener, or to one that has another already, and says which names are expected.
std::vector<int> descriptors_for(std::vector<std::string> const& names, std::vector<inherited_socket> const& all);

}  // namespace svc::app
