// Any body of a POST to a subscription's link names an action or none; without a field's name it names none.
#include "check.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const body = text_of(data, size);
  auto const action = pages::read_subscription_action(body);
  check(action == pages::read_subscription_action(body), "the same body names the same action");
  bool const named = body.find("ction") != std::string_view::npos || body.find('%') != std::string_view::npos ||
                     body.find("ubscribe") != std::string_view::npos;
  check(!action || named, "an action has a name");
  return 0;
}
