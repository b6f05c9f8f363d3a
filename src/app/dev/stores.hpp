#pragma once

#include "app/dev/child_process.hpp"
#include "app/dev/data_directory.hpp"
#include "app/migrations/database_session.hpp"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace svc::app::dev {

/// Reports once when a store ends by itself. Nothing is restarted, so that tests and people see the effect of a lost
/// store. Has a thread of its own, since serving occupies the main one; ends with this object.
class store_watch {
 public:
  struct store {
    std::string name;
    child_process* process;  ///< outlives this, and nothing else uses it during that time
  };

  store_watch(std::vector<store> stores, std::function<void(std::string const& sentence)> say);
  ~store_watch();
  store_watch(store_watch const&) = delete;
  store_watch& operator=(store_watch const&) = delete;

 private:
  void run(std::vector<store> left) const;

  std::function<void(std::string const&)> say_;
  int stop_;
  std::thread thread_;
};

/// A private PostgreSQL on a Unix socket; initdb creates it at its first start. Durable as in production.
class postgres_server {
 public:
  explicit postgres_server(data_directory const& where);
  ~postgres_server();

  child_process& process() { return process_; }
  /// Returns the URI for `role` in `database`; no password is needed because the socket's directory is private.
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

/// Returns the first executable called `name` in PATH's directories; empty if there is none.
std::string find_in_path(std::string const& name);

/// Returns the end of a store's log, for an error message.
std::string log_tail(std::string const& path);

}  // namespace svc::app::dev
