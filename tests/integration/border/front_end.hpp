#pragma once

#include "support/temporary_directory.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// A front end's log entry for one request: its id, whether it was passed on, and the answer.
struct forwarded {
  std::string id;        ///< created by the front end, sent as X-Request-Id instead of the client's
  bool sent = false;     ///< passed on to the service
  std::string status;    ///< status of the service's answer; "-" if there was none
  std::string answered;  ///< the X-Request-Id of that answer
  std::string method;
  bool client_left = false;  ///< the client left before the answer; known only for nginx
};

/// Debian's HAProxy or nginx in front of the service: a private process with its own configuration in a separate
/// directory. It uses TLS with keep-alive to the service and plain HTTP to its clients. Ends with this object.
class front_end {
 public:
  enum class program { haproxy, nginx };
  /// `lax` accepts as much as the program can be configured to accept, and streams bodies.
  front_end(program which, bool lax, std::string const& service, std::string const& ca_file);
  ~front_end();
  front_end(front_end const&) = delete;
  front_end& operator=(front_end const&) = delete;

  /// Returns the program's path, or `std::nullopt` if it is not installed.
  static std::optional<std::string> installed(program which);

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::vector<forwarded> log() const;

 private:
  void start(std::vector<std::string> words);

  temporary_directory directory_;
  int port_;
  pid_t pid_ = 0;
};

}  // namespace svc::test
