// The first byte chooses what the rest is: a configuration file, an environment (e) or a Redis URL (u). The result is
// values within their ranges, or problems that name a key; printing what was read and reading it again changes
// nothing.
#include "app/configuration/configuration.hpp"
#include "check.hpp"
#include "svc/redis/client.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace svc;
using namespace svc::app;

namespace {

/// An in-memory file with a path.
class memory_file {
 public:
  memory_file() : descriptor_(::memfd_create("svcd.toml", MFD_CLOEXEC)) { check(descriptor_ >= 0, "a file"); }
  void set(std::string_view text) const {
    check(::ftruncate(descriptor_, 0) == 0, "an empty file");
    check(::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "written");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string printed(configuration const& values) {
  std::string out;
  for (setting const& k : configuration_keys().all) {
    if (!k.secret()) out += std::string(k.name) + " = " + k.printed(&values) + "\n";
  }
  return out;
}

loaded_configuration load(std::optional<std::string> path, std::vector<std::string> environment = {}) {
  return load_configuration({.file = std::move(path), .environment = std::move(environment), .overrides = {}},
                            configuration_use::showing);
}

void check_redis_url(std::string_view text) {
  try {
    auto const parsed = redis::parse_url(text);
    check(!parsed.host.empty() && parsed.database >= 0 && parsed.database <= 65535, "somewhere to connect to");
    check(parsed.unix_path.empty() || parsed.unix_path.size() <= 107, "a path that fits");
  } catch (std::invalid_argument const& e) {
    check(std::string_view(e.what()).starts_with("redis url: "), "a sentence of our own");
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    // A variable that ends in _FILE would read a file chosen by the fuzzer.
    if (line.find("_FILE") == std::string_view::npos) out.push_back("SVC_" + std::string(line));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

void check_file(std::string_view text) {
  static memory_file const file;
  file.set(text);
  auto const first = load(file.path());
  for (auto const& problem : first.problems) check(problem.find(": ") != std::string::npos, "a problem names a key");
  if (!first.problems.empty()) return;
  auto const written = printed(first.values);
  file.set(written);
  auto const again = load(file.path());
  check(again.problems.empty(), "what is printed can be read");
  check(printed(again.values) == written, "and means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  auto const text = text_of(data + 1, size - 1);
  switch (data[0]) {
    case 'u':
      check_redis_url(text);
      break;
    case 'e':
      static_cast<void>(load(std::nullopt, lines_of(text)));
      break;
    default:
      check_file(text);
  }
  return 0;
}
