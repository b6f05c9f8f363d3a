#pragma once

#include "app/dev/child_process.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::app::dev {

/// Ends a store of an earlier run that still uses `directory`: SIGINT first, then SIGKILL. Requires the lock
/// of the data directory, so that nobody owns the store. Removes the pid file, because the store would not
/// start if another process has its pid by now.
void end_old_server(std::string const& directory, std::string const& pid_file);

/// The directory in which `svcd dev` keeps everything. Locked while the object lives, so that two processes
/// never share stores; the kernel releases the lock if this process dies.
class data_directory {
 public:
  /// Creates the directory, or takes one that holds our marker. Refuses any other that is not empty with
  /// `std::runtime_error`, so that `reset` can never remove files that are not ours.
  data_directory(std::string const& path, bool reset);
  data_directory(data_directory const&) = delete;
  data_directory& operator=(data_directory const&) = delete;
  ~data_directory();

  std::string const& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Returns the user that runs the stores; nothing: our own.
  std::optional<store_user> const& user() const { return user_; }
  /// Returns a store's directory, at a path that the stores' user can reach.
  std::string store(std::string_view name) const;
  /// Returns the directory of the sockets: private to the stores' user, and short enough for a Unix socket's
  /// 107 bytes.
  std::string const& sockets() const { return sockets_; }
  /// Makes a directory only for the stores' user (0700); an existing one must already be private.
  void make_private(std::string const& directory) const;

 private:
  void take_lock();
  void wipe() const;
  void choose_paths();
  void create_stores() const;

  std::string path_;
  std::optional<store_user> user_;
  int lock_ = -1;
  std::string stores_;  ///< parent of the stores' directories
  std::string sockets_;
};

/// Root: /var/lib/svcd-dev; others: $XDG_DATA_HOME/svcd-dev or ~/.local/share/svcd-dev.
std::string default_data_directory();

/// Replaces the file in one step, readable for its owner only (or for all).
void write_file(std::string const& path, std::string_view content, bool for_all = false);
std::optional<std::string> read_file(std::string const& path);

}  // namespace svc::app::dev
