#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace svc::test {

/// Returns the directory for temporary files of tests: TEST_PLACE; else /dev/shm, if it has plenty of room and
/// programs may run there; else /tmp. Memory comes first, because a whole run makes and removes a million files of
/// databases, for which a disk takes minutes.
inline std::string directory_of_tests() {
  if (char const* const chosen = std::getenv("TEST_PLACE"); chosen != nullptr && *chosen != '\0') return chosen;
  struct statvfs memory{};
  bool const plenty = statvfs("/dev/shm", &memory) == 0 && (memory.f_flag & ST_NOEXEC) == 0 &&
                      memory.f_bavail * memory.f_frsize >= (8ULL << 30U);
  return plenty ? "/dev/shm" : "/tmp";
}

/// Makes a directory of that name and six characters more. Other users may pass through it, because the user of the
/// stores of `svcd dev` must. If that user could not, `svcd dev` would keep the stores below /var/lib, where no test
/// would remove them. Throws `std::runtime_error`.
inline std::string make_temporary(std::string const& name) {
  auto path = directory_of_tests() + "/" + name + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr || chmod(path.c_str(), 0711) != 0)
    throw std::runtime_error("no temporary directory can be made in " + directory_of_tests());
  return path;
}

/// A directory of its own, removed with its contents by the destructor; kept if TEST_KEEP is set, and its path
/// printed.
class temporary_directory {
 public:
  temporary_directory() : path_(make_temporary("svc-test")) {}
  /// Tries again for a moment: a server of a killed `svcd dev` may still be writing its last files here.
  ~temporary_directory() {
    if (std::getenv("TEST_KEEP") != nullptr) {
      std::fprintf(stderr, "kept: %s\n", path_.c_str());
      return;
    }
    std::error_code failed;
    for (int tries = 0; tries < 100; ++tries) {
      std::filesystem::remove_all(path_, failed);
      if (!failed) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  temporary_directory(temporary_directory const&) = delete;
  temporary_directory& operator=(temporary_directory const&) = delete;

  std::string const& path() const { return path_; }
  /// Returns the path of the new file.
  std::string write(std::string const& name, std::string const& content) const {
    auto const file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace svc::test
