// Any header gives an address: the peer's, or one in its canonical spelling.
#include "check.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/http/client_address.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const value = text_of(data, size);
  http::request head;
  auto const half = value.find('\n');
  head.fields = {{"x-forwarded-for", value.substr(0, half)}};
  if (half != std::string_view::npos) head.fields.push_back({"X-Forwarded-For", value.substr(half + 1)});
  http::forwarding const rules{"x-forwarded-for",
                               [](std::string_view a) { return a == "unix" || a.starts_with("10."); }};
  auto const client = http::client_address(head, "unix", rules);
  check(client == "unix" || ip_text_of(client) == client, "an address in its one spelling");
  check(http::client_address(head, "192.0.2.1", rules) == "192.0.2.1", "a stranger speaks for himself only");
  return 0;
}
