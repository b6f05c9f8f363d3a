#pragma once

namespace svc_mutation {
/// Returns true if the environment variable TEST_MUTATION selects the fault, and notes that the present test case
/// reached it.
bool on(int fault) noexcept;
}  // namespace svc_mutation

/// Selects a fault at run time. Constant expressions never contain faults.
constexpr bool svc_fault(int fault) noexcept {
  return !__builtin_is_constant_evaluated() && svc_mutation::on(fault);
}
