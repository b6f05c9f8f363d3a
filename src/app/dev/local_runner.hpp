#pragma once

#include "app/dev/child_process.hpp"
#include "app/dev/data_directory.hpp"
#include "svc/core/secret.hpp"

#include <optional>
#include <string>

namespace svc::app::dev {

/// Returns the address of the service for the runner of `svcd dev`: a Unix socket that only these two can reach.
std::string internal_socket(data_directory const& where);

/// The path of `svc-runner` in our program's directory, or nothing.
std::optional<std::string> find_runner();

/// A runner for `command` jobs that lives as long as the service does. Start it from the main thread, once the
/// service listens; ended in the destructor.
class local_runner {
 public:
  local_runner(data_directory const& where, std::string const& program, secret_string const& token);
  local_runner(local_runner const&) = delete;
  local_runner& operator=(local_runner const&) = delete;
  ~local_runner();

  pid_t pid() const { return process_.pid(); }

 private:
  child_process process_;
};

}  // namespace svc::app::dev
