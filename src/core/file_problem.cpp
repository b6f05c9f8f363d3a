#include "svc/core/file_problem.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace svc {
namespace {

std::string system_problem(int error) {
  if (error == ENOENT) return "does not exist";
  return "cannot be read: " + std::generic_category().message(error);
}

}  // namespace

std::optional<std::string> file_problem(std::string const& path) {
  // Without O_NONBLOCK, opening a named pipe waits for a writer.
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return system_problem(errno);
  struct stat about{};
  bool const found = ::fstat(file, &about) == 0;
  ::close(file);
  if (found && S_ISDIR(about.st_mode)) return "is a directory";
  return std::nullopt;
}

bool may_exist(std::string const& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace svc
