#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// A PostgreSQL server for one test: its own data directory in `directory_of_tests`, a Unix socket, no TCP; with the
/// settings of production (never fsync=off). The constructor starts it and must run on the main thread: the server
/// dies with the thread that started it. As root it runs as the user `postgres`. The destructor removes everything.
/// Throws `std::runtime_error` with the server's log when it does not start.
class private_postgres {
 public:
  /// `settings`: lines for postgresql.conf.
  explicit private_postgres(std::string const& settings = {});
  /// A standby that streams from a server, made by pg_basebackup.
  struct standby_of {
    private_postgres const& primary;
  };
  explicit private_postgres(standby_of which);
  /// Makes this server such a standby; its own data is lost.
  void become(standby_of which);
  ~private_postgres();
  private_postgres(private_postgres const&) = delete;
  private_postgres& operator=(private_postgres const&) = delete;

  /// Connection string of the superuser in database `postgres`.
  std::string url() const;
  std::string const& directory() const { return directory_; }
  pid_t pid() const { return pid_; }

  void start();
  void stop();    ///< fast shutdown: sessions are ended
  void kill();    ///< kill -9 of the server and all its sessions
  void freeze();  ///< SIGSTOP of all of them
  void thaw();
  /// More lines for postgresql.conf, which count from the next start on.
  void configure(std::string const& settings) const;
  /// From the next start on, it listens on this port too, at 127.0.0.1.
  void listen_on(int port);
  /// A file that only the server can read; returns its path.
  std::string write(std::string const& name, std::string const& content) const;
  std::string log() const;

 private:
  void make_directory();
  void make_cluster(std::string const& into) const;
  void copy(private_postgres const& primary);
  void listen_here(std::string const& settings);
  void launch(std::vector<std::string> command, std::string const& log, pid_t& child) const;
  void run(std::vector<std::string> const& command) const;
  void signal_all(int signal) const;
  /// Also removes the shared memory that a killed server leaves.
  void remove_data() const;
  void reap();

  std::string binaries_, directory_;
  std::string port_ = "5432";
  pid_t pid_ = 0;
};

}  // namespace svc::test
