// For any bytes the answer is the same twice; without the word gzip and without a star it is never gzip.
#include "check.hpp"
#include "svc/http/headers.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  http::request head;
  head.fields.push_back({"Accept-Encoding", text});
  bool const encoded = http::prefers_gzip(head);
  check(encoded == http::prefers_gzip(head), "the same twice");
  check(!encoded || text.find_first_of("*zZ") != text.npos, "nobody asked for gzip");
  return 0;
}
