#pragma once

#include "support/temporary_directory.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// What a front end says of one request: who it is, whether it was passed on, and what came back.
struct forwarded {
  std::string id;        ///< made by the front end, sent as X-Request-Id instead of whatever the client said
  bool sent = false;     ///< passed on to the service
  std::string status;    ///< of the service's answer; "-" when none came
  std::string answered;  ///< the X-Request-Id of that answer
  std::string method;
  bool client_left = false;  ///< before there was an answer for it; known of nginx only
};

/// HAProxy or nginx from Debian in front of the service: a private process with its own configuration in a directory
/// of its own, which speaks TLS with keep-alive to the service and plain HTTP to its clients. Dies with this object.
class front_end {
 public:
  enum class program { haproxy, nginx };
  /// `lax`: takes as much as the program can be told to take, and streams bodies.
  front_end(program which, bool lax, std::string const& service, std::string const& ca_file);
  ~front_end();
  front_end(front_end const&) = delete;
  front_end& operator=(front_end const&) = delete;

  /// Where the program is installed; nothing: it is not.
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
