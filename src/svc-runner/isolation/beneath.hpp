#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace svc::runner {

/// Opens `name` below the directory `root`, through no symbolic link, no `..` and no other mount, on any kernel from
/// Linux 5.6 on. -1 and errno as `openat`; close-on-exec.
int open_beneath(int root, std::string const& name, int flags, mode_t mode = 0);

/// This thread touches files with another user's rights while this lives; nothing: with its own. Only root changes.
/// Throws `std::runtime_error` when that fails.
class file_rights {
 public:
  explicit file_rights(std::optional<std::int64_t> user);
  ~file_rights();
  file_rights(file_rights const&) = delete;
  file_rights& operator=(file_rights const&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace svc::runner
