#pragma once

#include "app/database_session.hpp"
#include "app/dev/child_process.hpp"
#include "app/dev/data_directory.hpp"

#include <string>

namespace svc::app::dev {

/// A private PostgreSQL on a Unix socket; made by initdb at its first start. Durable as in production.
class postgres_server {
 public:
  explicit postgres_server(data_directory const& where);
  ~postgres_server();

  child_process& process() { return process_; }
  /// URI for `role` in `database`; needs no password, the socket's directory is private.
  std::string url(std::string const& role, std::string const& database) const;

  static constexpr char const* owner = "svc_owner";

 private:
  std::string sockets_;
  child_process process_;
};

/// A private Redis on a Unix socket. Keeps nothing on disk: all it holds is rebuilt from PostgreSQL.
class redis_server {
 public:
  explicit redis_server(data_directory const& where);
  ~redis_server();

  child_process& process() { return process_; }
  std::string url() const { return "unix:" + socket_; }

 private:
  std::string socket_;
  child_process process_;
};

/// The first of `names` that is executable in PATH's directories.
std::string find_in_path(std::string const& name);

/// The last lines of a store's log, for an error.
std::string log_tail(std::string const& path);

}  // namespace svc::app::dev
