// Any bytes are a PROXY header, the beginning of one, or neither; bytes after it do not change that.
#include "check.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/http/client_address.hpp"

#include <cstdint>

using namespace svc;
using verdict = http::proxy_header::verdict;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const bytes = text_of(data, size);
  auto const whole = http::parse_proxy_header(bytes);
  if (whole.content == verdict::need_more) check(size < http::proxy_header::largest, "waiting has an end");
  if (whole.content == verdict::complete) {
    check(whole.size > 0 && whole.size <= size && whole.size <= http::proxy_header::largest, "a size within bounds");
    check(!whole.source || ip_text_of(*whole.source) == whole.source, "a source is an address in its one spelling");
    check(http::parse_proxy_header(bytes.substr(0, whole.size - 1)).content == verdict::need_more,
          "all of it is needed");
  }
  // Split in two, the verdict is the same: what has been decided stays.
  auto const first = http::parse_proxy_header(bytes.substr(0, size / 2));
  if (first.content != verdict::need_more)
    check(first.content == whole.content && first.size == whole.size, "split alike");
  return 0;
}
