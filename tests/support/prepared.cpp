#include "support/prepared.hpp"

#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace svc::test {

namespace {

namespace fs = std::filesystem;

/// Held by who makes or copies: nothing is removed under a copy.
class file_lock {
 public:
  explicit file_lock(std::string const& path) : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open " + path);
  }
  ~file_lock() { close(descriptor_); }
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;
  void take(int mode) const {
    if (flock(descriptor_, mode) != 0) throw std::runtime_error("flock failed");
  }

 private:
  int descriptor_;
};

/// Keeps owners, as `std::filesystem::copy` does not.
void copy_all(std::string const& source, std::string const& into) {
  fs::create_directories(into);
  if (std::system(("cp -a '" + source + "/.' '" + into + "'").c_str()) != 0)
    throw std::runtime_error("cannot copy " + source + " to " + into);
}

void remove_others(fs::path const& kept) {
  auto const kind = kept.filename().string().substr(0, kept.filename().string().find('.') + 1);
  for (auto const& entry : fs::directory_iterator(kept.parent_path()))
    if (entry.path() != kept && entry.path().filename().string().starts_with(kind)) fs::remove_all(entry.path());
}

/// Made where the user of the servers may go, and renamed when it is whole.
void make_kept(fs::path const& kept, std::function<void(std::string const&)> const& make) {
  temporary_directory const workshop;
  fs::permissions(workshop.path(), fs::perms::others_exec, fs::perm_options::add);
  make(workshop.path() + "/new");
  remove_others(kept);
  auto const unfinished = kept.string() + ".unfinished";
  fs::remove_all(unfinished);
  copy_all(workshop.path() + "/new", unfinished);
  fs::rename(unfinished, kept);
}

}  // namespace

void copy_prepared(std::string const& name, std::string const& into,
                   std::function<void(std::string const&)> const& make) {
  auto const spot = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "prepared";
  fs::create_directories(spot);
  file_lock const lock(spot.string() + "/lock");
  auto const kept = spot / name;
  lock.take(LOCK_SH);
  if (!fs::exists(kept)) {
    lock.take(LOCK_EX);
    if (!fs::exists(kept)) make_kept(kept, make);
  }
  copy_all(kept.string(), into);
}

}  // namespace svc::test
