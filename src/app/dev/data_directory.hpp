#pragma once

#include "app/dev/child_process.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::app::dev {

/// Where `svcd dev` keeps everything. Held by a lock for as long as this lives, so that two never share stores;
/// the kernel releases it however we die. Owned by `run_dev`.
class data_directory {
 public:
  /// Creates it, or takes one that carries our marker; anything else that is not empty is refused with
  /// `std::runtime_error`, so that `reset` can never remove what is not ours.
  data_directory(std::string const& path, bool reset);
  data_directory(data_directory const&) = delete;
  data_directory& operator=(data_directory const&) = delete;
  ~data_directory();

  std::string const& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Whom the stores run as; nothing: ourselves.
  std::optional<store_user> const& user() const { return user_; }
  /// A directory that the store's user owns (0700), reachable for that user.
  std::string store(std::string_view name) const;
  /// Where the sockets are: private to the stores' user and short enough for a Unix socket's 107 bytes.
  std::string const& sockets() const { return sockets_; }
  /// Makes a directory for the store's user alone; an existing one must be that user's.
  void make_private(std::string const& directory) const;

 private:
  void take_lock();
  void wipe() const;
  void choose_places();

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

/// A store of an earlier run that still works on `directory` (we hold its lock, so nobody owns it any more) is
/// asked to end, then made to. A pid file whose number belongs to something else is removed: the store would
/// refuse to start because of it.
void end_old_server(std::string const& directory, std::string const& pid_file);

}  // namespace svc::app::dev
