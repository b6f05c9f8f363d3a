#include "svc/http/gzip.hpp"

#include "support/gunzip.hpp"
#include "svc/http/headers.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using test::gunzip;

TEST_CASE("what is encoded in pieces of any size decodes to itself") {
  for (std::size_t const size : {0UL, 1UL, 1000UL, 16384UL, 300000UL}) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * 2654435761U);
    text.resize(size);
    http::gzip_encoder one(1);
    for (std::size_t at = 0; at < size; at += 777) one.add(std::string_view(text).substr(at, 777));
    CHECK(gunzip(one.finish()) == text);
    CHECK(gunzip(http::gzip(text, 9)) == text);
  }
}

TEST_CASE("gzip is sent to who prefers it") {
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
