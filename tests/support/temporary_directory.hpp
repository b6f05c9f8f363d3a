#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace svc::test {

/// A private directory under /tmp, removed with its contents by the destructor.
class temporary_directory {
 public:
  temporary_directory() {
    char name[] = "/tmp/svc-test-XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  /// Tries again for a moment: a server of a killed `svcd dev` may still be writing its last files here.
  ~temporary_directory() {
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
