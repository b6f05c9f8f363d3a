// Any bytes are a file of ticket keys or not; there is one key per line, and no name is repeated.
#include "check.hpp"
#include "svc/net/tls_context.hpp"

#include <cstdint>
#include <set>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const keys = net::parse_ticket_keys(text_of(data, size));
  if (!keys) return 0;
  check(!keys->empty() && keys->size() <= 16, "between one key and sixteen");
  check(size >= 160 * keys->size(), "each key has a line of its own");
  std::set<std::array<unsigned char, 16>> names;
  for (auto const& key : *keys) check(names.insert(key.name).second, "each name once");
  return 0;
}
