// Any file is a file of master keys, or refused with a sentence that does not show its content; a data key opens with
// the key that wrapped it.
#include "check.hpp"
#include "svc/core/master_keys.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <stdexcept>

using namespace svc;

namespace {

/// An in-memory file.
struct memory_file {
  int fd = ::memfd_create("master_keys", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(fd);

  void hold(std::uint8_t const* data, std::size_t size) {
    bool const written = ::ftruncate(fd, 0) == 0 && ::pwrite(fd, data, size, 0) == static_cast<ssize_t>(size);
    check(written, "memory holds the input");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static memory_file file;
  file.hold(data, size);
  try {
    auto keys = master_keys::from_file(file.path);
    check(!keys.ids().empty() && keys.ids().size() <= 16, "between one key and sixteen");
    auto const made = keys.make_data_key("place");
    check(keys.unwrap(keys.current().id(), made.wrapped, "place").has_value(), "the current key opens");
    check(!keys.unwrap(keys.current().id(), made.wrapped, "other").has_value(), "nowhere else");
  } catch (std::runtime_error const& e) {
    bool const fixed =
        e.what() == file.path + " is empty" ||
        e.what() == file.path + " must hold lines of 64 hexadecimal characters, at most 16, or 32 bytes";
    check(fixed, "a sentence without content");
  }
  return 0;
}
