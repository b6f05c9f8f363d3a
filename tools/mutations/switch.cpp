#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <svc/mutation_switch.hpp>

namespace svc_mutation {
namespace {

// The file that TEST_MUTATION_REACHED names: the number of the present test case, then one byte for each case and
// fault. All processes of a test map it, so that a server that a case started notes the right case. run_tests.py
// reads it.
constexpr std::size_t cases = 4096, faults = 1024;
struct reached_faults {
  std::atomic<unsigned> test_case;
  std::atomic<char> reached[cases][faults];
};

int selected_fault() noexcept {
  auto const* const number = std::getenv("TEST_MUTATION");
  return number != nullptr ? std::atoi(number) : 0;
}

reached_faults* map_reached() noexcept {
  auto const* const path = std::getenv("TEST_MUTATION_REACHED");
  if (path == nullptr) return nullptr;
  auto const file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  auto* const memory = ::mmap(nullptr, sizeof(reached_faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory != MAP_FAILED ? static_cast<reached_faults*>(memory) : nullptr;
}

}  // namespace

bool on(int fault) noexcept {
  static int const selected = selected_fault();
  static auto* const reached = map_reached();
  if (reached != nullptr) reached->reached[reached->test_case % cases][fault] = 1;
  return fault == selected;
}

}  // namespace svc_mutation

/// For the listener of doctest.
extern "C" void svc_mutation_case(unsigned number) {
  static auto* const reached = svc_mutation::map_reached();
  if (reached != nullptr) reached->test_case = number;
}
