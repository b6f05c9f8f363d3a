// The first byte chooses the bound, the second the size of a piece; the rest is a body. Any bytes decode within the
// bound or are refused, and how they were split changes nothing that is shown.
#include "check.hpp"
#include "egress/http/gzip_body.hpp"
#include "svc/core/received_codings.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

using namespace svc;
using egress::gzip_body;

namespace {

std::pair<gzip_body::state, std::string> decoded(std::string_view body, std::size_t most, std::size_t piece) {
  gzip_body reader(most);
  std::string out;
  auto last = gzip_body::state::reading;
  while (!body.empty() && last == gzip_body::state::reading) {
    last = reader.take(body.substr(0, piece), out);
    body.remove_prefix(std::min(piece, body.size()));
  }
  return {last, out};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t const most = data[0] * std::size_t{64}, piece = data[1] + std::size_t{1};
  auto const body = text_of(data + 2, size - 2);
  auto const [whole, text] = decoded(body, most, body.size() + 1);
  check(text.size() <= most, "bounded");
  check(whole != gzip_body::state::full || text.size() == most, "full is full");
  auto const [split, same] = decoded(body, most, piece);
  check(split == whole, "however it is split");
  if (whole != gzip_body::state::broken) check(same == text, "the same text");
  received_codings codings;
  codings.add("content-encoding", body);
  codings.add("transfer-encoding", body);
  check(!codings.gzip() || codings.content_supported(), "gzip is supported");
  return 0;
}
