#include "live/compression.hpp"

#include <doctest/doctest.h>

namespace svc::live {
namespace {

TEST_CASE("what is compressed in pieces inflates to the whole, and to nothing else") {
  for (std::size_t const pieces : {0U, 1U, 3U, 2000U}) {
    CAPTURE(pieces);
    compressor into;
    std::string whole;
    for (std::size_t i = 0; i < pieces; ++i) {
      auto const piece = std::to_string(i * 7919) + std::string(i % 100, 'x') + '\n';
      whole += piece;
      into.add(piece);
    }
    auto const content = into.finish();
    CHECK(inflated(content, whole.size()) == whole);
    CHECK_FALSE(inflated(content, whole.size() + 1));
    if (!whole.empty()) CHECK_FALSE(inflated(content, whole.size() - 1));
    CHECK_FALSE(inflated(byte_view(content).first(content.size() - 1), whole.size()));
  }
}

}  // namespace
}  // namespace svc::live
