#pragma once

#include "app/dev/child_process.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::app::dev {

/// Ends a store of an earlier run that still works in `directory` (we hold the lock, so nobody owns it any more):
/// SIGINT first, then SIGKILL. Removes the pid file: if its pid belongs to another process by now, the store would
/// refuse to start.
void end_old_server(std::string const& directory, std::string const& pid_file);

/// Where `svcd dev` keeps everything. Locked for as long as this lives, so that two never share stores; the kernel
/// releases the lock in any case when we die.
class data_directory {
 public:
  /// Creates the directory, or takes one that holds our marker. Refuses any other that is not empty with
  /// `std::runtime_error`, so that `reset` can never remove what is not ours.
  data_directory(std::string const& path, bool reset);
  data_directory(data_directory const&) = delete;
  data_directory& operator=(data_directory const&) = delete;
  ~data_directory();

  std::string const& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// The user that the stores run as; nothing: our own.
  std::optional<store_user> const& user() const { return user_; }
  /// A store's directory, at a place that the stores' user can reach.
  std::string store(std::string_view name) const;
  /// Where the sockets are: private to the stores' user and short enough for a Unix socket's 107 bytes.
  std::string const& sockets() const { return sockets_; }
  /// Makes a directory for the stores' user alone (0700); an existing one must already be that.
  void make_private(std::string const& directory) const;

 private:
  void take_lock();
  void wipe() const;
  void choose_paths();

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
