#include "svc/http/deflate.hpp"

#include "support/gzip.hpp"
#include "svc/http/headers.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using test::gunzip;

TEST_CASE("text encoded in pieces of any size decodes to itself") {
  for (std::size_t const size : {0UL, 1UL, 1000UL, 16384UL, 300000UL}) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * 2654435761U);
    text.resize(size);
    http::deflater deflater(http::deflate_format::gzip, 1);
    for (std::size_t position = 0; position < size; position += 777)
      deflater.add(std::string_view(text).substr(position, 777));
    CHECK(gunzip(deflater.finish()) == text);
    CHECK(gunzip(http::gzip(text, 9)) == text);
  }
}

TEST_CASE("text compressed in pieces inflates to the whole, and to nothing else") {
  for (std::size_t const pieces : {0U, 1U, 3U, 2000U}) {
    CAPTURE(pieces);
    http::deflater into(http::deflate_format::zlib, 1);
    std::string whole;
    for (std::size_t i = 0; i < pieces; ++i) {
      auto const piece = std::to_string(i * 7919) + std::string(i % 100, 'x') + '\n';
      whole += piece;
      into.add(piece);
    }
    auto const text = into.finish();
    auto const content = as_bytes(text);
    CHECK(http::inflated(content, whole.size()) == whole);
    http::inflater in_steps(content, whole.size());
    while (in_steps.step(100)) {
    }
    CHECK(in_steps.finish() == whole);
    CHECK_FALSE(http::inflated(content, whole.size() + 1));
    if (!whole.empty()) CHECK_FALSE(http::inflated(content, whole.size() - 1));
    CHECK_FALSE(http::inflated(content.first(content.size() - 1), whole.size()));
  }
}

TEST_CASE("gzip is sent when the client prefers it") {
  struct {
    std::vector<std::string_view> fields;
    bool encoded;
  } const cases[] = {{{}, false},
                     {{""}, false},
                     {{"gzip"}, true},
                     {{"GZip"}, true},
                     {{"x-gzip"}, true},
                     {{"deflate, br"}, false},
                     {{"br", "gzip"}, true},
                     {{"gzip;q=0"}, false},
                     {{"gzip;q=0.000, *"}, false},
                     {{"*"}, true},
                     {{"*;q=0"}, false},
                     {{"gzip;q=0.5, identity;q=0.6"}, false},
                     {{"gzip;q=0.5, identity;q=0.5"}, true},
                     {{"identity;q=0, *;q=0.1"}, true},
                     {{"gzip;q=nonsense"}, false},
                     {{"gzip;q=1.001"}, false},
                     {{"gzip ; q=0.001"}, true}};
  for (auto const& c : cases) {
    http::request head;
    for (auto const value : c.fields) head.fields.push_back({"Accept-Encoding", value});
    CAPTURE(c.fields.empty() ? "none" : c.fields.front());
    CHECK(http::prefers_gzip(head) == c.encoded);
  }
}

TEST_CASE("brotli is sent to clients that name it and prefer it") {
  using http::content_coding;
  struct {
    char const* accepted;
    content_coding coding;
  } const cases[] = {{"br", content_coding::brotli},
                     {"BR", content_coding::brotli},
                     {"gzip, br", content_coding::brotli},
                     {"gzip;q=1, br;q=0.9", content_coding::gzip},
                     {"br;q=0.4, identity;q=0.5", content_coding::identity},
                     {"br;q=0.5, identity;q=0.5", content_coding::brotli},
                     {"br;q=0, gzip", content_coding::gzip},
                     {"br;q=nonsense", content_coding::identity},
                     {"*", content_coding::gzip},
                     {"deflate, zstd", content_coding::identity}};
  for (auto const& c : cases) {
    CAPTURE(c.accepted);
    http::request head;
    head.fields.push_back({"Accept-Encoding", c.accepted});
    CHECK(http::preferred_coding(head, true) == c.coding);
    // A form that is not offered is not sent.
    CHECK(http::preferred_coding(head, false) != content_coding::brotli);
  }
  CHECK(http::preferred_coding({}, true) == content_coding::identity);
}
