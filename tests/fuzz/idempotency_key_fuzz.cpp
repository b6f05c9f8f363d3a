// Any bytes are a key or not; a key is as the contract says, and means the same in quotes.
#include "check.hpp"
#include "svc/http/headers.hpp"

#include <algorithm>
#include <cstdint>

using namespace svc::http;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const key = read_idempotency_key(text_of(data, size));
  if (!key) return 0;
  check(!key->empty() && key->size() <= 255, "1 to 255 characters");
  check(std::ranges::all_of(*key, [](char c) { return c > ' ' && c <= '~'; }), "visible characters");
  std::string quoted = "\"";
  for (char const c : *key) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  check(read_idempotency_key(quoted + "\"") == key, "bare or quoted, the same key");
  return 0;
}
