#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// A Redis server for one test: its own directory in `directory_of_tests`, a Unix socket, on request a TCP port on
/// 127.0.0.1, plain or TLS. The constructor starts it and must run on the main thread: the server dies with the
/// thread that started it. The destructor removes everything. Throws `std::runtime_error` with the server's log when
/// it does not start.
class private_redis {
 public:
  struct options {
    bool tcp = false;
    int tcp_port = 0;                      ///< with `tcp`: this port; 0: a free port
    std::string tls_certificate{};         ///< PEM file; with `tls_key` opens a TLS port
    std::string tls_key{};                 ///< PEM file
    std::vector<std::string> arguments{};  ///< further arguments, such as {"--maxmemory", "1mb"}
    /// Makes the server a sentinel: lines of its first configuration, such as `sentinel monitor ...`. It has one
    /// port.
    std::string sentinel{};
  };

  private_redis() : private_redis(options{}) {}
  explicit private_redis(options chosen);
  ~private_redis();
  private_redis(private_redis const&) = delete;
  private_redis& operator=(private_redis const&) = delete;

  std::string const& directory() const { return directory_; }
  std::string socket() const { return directory_ + "/s"; }
  std::string url() const { return "unix:" + socket(); }
  std::string port() const { return std::to_string(port_); }          ///< with `tcp`, otherwise "0"
  std::string tls_port() const { return std::to_string(tls_port_); }  ///< with TLS, otherwise "0"
  pid_t pid() const { return pid_; }

  void start();   ///< on the same addresses as before; waits until it answers
  void stop();    ///< orderly shutdown
  void kill();    ///< kill -9
  void freeze();  ///< SIGSTOP
  void thaw();

  /// Sends one command on a new connection, as the default user; blocks. Returns the reply as text: each element of
  /// an array on a line, an error after '-'. Throws when there is no answer within 5 s.
  std::string ask(std::vector<std::string> const& words) const;
  /// Returns its log, over all its starts.
  std::string log() const;

 private:
  void launch();
  std::vector<std::string> server_words() const;
  std::vector<std::string> sentinel_words() const;
  bool answers() const;

  options chosen_;
  std::string directory_;
  int port_ = 0;
  int tls_port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace svc::test
