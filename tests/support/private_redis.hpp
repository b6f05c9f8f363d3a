#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// A Redis server of one test: its own short directory under /tmp, a Unix socket, on request a TCP port on
/// 127.0.0.1, plain or TLS. Started in the constructor, which must run on the main thread: the server dies with
/// the thread that started it. Everything is removed in the destructor. Throws `std::runtime_error` with the
/// server's log when it does not come up.
class private_redis {
 public:
  struct options {
    bool tcp = false;
    std::string tls_certificate{};         ///< PEM file; with `tls_key` opens a TLS port
    std::string tls_key{};                 ///< PEM file
    std::vector<std::string> arguments{};  ///< more of the command line, such as {"--maxmemory", "1mb"}
  };

  private_redis() : private_redis(options{}) {}
  explicit private_redis(options chosen);
  ~private_redis();
  private_redis(private_redis const&) = delete;
  private_redis& operator=(private_redis const&) = delete;

  std::string const& directory() const { return directory_; }
  std::string socket() const { return directory_ + "/s"; }
  std::string url() const { return "unix:" + socket(); }
  std::string port() const { return std::to_string(port_); }          ///< of `tcp`, else "0"
  std::string tls_port() const { return std::to_string(tls_port_); }  ///< else "0"
  pid_t pid() const { return pid_; }

  void start();   ///< waits until it answers; on the same addresses as before
  void stop();    ///< orderly shutdown
  void kill();    ///< kill -9
  void freeze();  ///< SIGSTOP
  void thaw();

  /// One command on a connection of its own, as the default user; blocks. The reply as text: elements of an
  /// array by lines, an error with '-' before it. Throws when there is no answer within 5 s.
  std::string ask(std::vector<std::string> const& words) const;

 private:
  void launch();
  bool answers() const;
  std::string log() const;

  options chosen_;
  std::string directory_;
  int port_ = 0;
  int tls_port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace svc::test
