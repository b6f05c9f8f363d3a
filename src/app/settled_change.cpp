#include "app/settled_change.hpp"

#include <sys/stat.h>

namespace svc::app {

std::vector<file_stamp> stamps_of(std::vector<std::string> const& paths) {
  std::vector<file_stamp> out;
  for (auto const& path : paths) {
    struct stat found{};
    if (::stat(path.c_str(), &found) == 0)
      out.push_back({found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec});
    else
      out.emplace_back();
  }
  return out;
}

}  // namespace svc::app
