// Any bytes of Redis are a copy of a page or not; a copy that is written again reads back the same.
#include "check.hpp"
#include "http/public_pages/copy_form.hpp"
#include "svc/http/deflate.hpp"

#include <cstdint>

using namespace svc;
using namespace svc::public_pages;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  read_copy(text);
  auto const page = read_copy(http::gzip(text, 1));
  if (!page) return 0;
  auto const copy = write_copy(*page);
  if (!copy) return 0;
  auto const again = read_copy(*copy);
  check(again != nullptr, "what is written reads back");
  check(again->project == page->project && again->version == page->version && again->domain == page->domain &&
            again->allowed == page->allowed,
        "with the same rules");
  return 0;
}
