#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// A store of `svcd dev` that a test restarts on the same data and address, as the same user; killed in the
/// destructor. Create it on the main thread: it dies with the thread that started it. `svcd dev` itself does not
/// restart a store, so that a test can decide when it returns.
class restarted_store {
 public:
  /// The command of a running process; take it before the process is killed.
  struct origin {
    std::string program{}, directory{};
    std::vector<std::string> arguments{};
    uid_t user = 0;
    gid_t group = 0;
  };
  static origin of(pid_t running);

  explicit restarted_store(origin const& origin);
  ~restarted_store();
  restarted_store(restarted_store const&) = delete;
  restarted_store& operator=(restarted_store const&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

}  // namespace svc::test
