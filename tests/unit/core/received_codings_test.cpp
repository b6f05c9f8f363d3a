#include "svc/core/received_codings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc {
namespace {

TEST_CASE("one gzip and one chunked are supported, and no other coding of a body") {
  struct {
    std::vector<std::pair<std::string_view, std::string_view>> fields;
    bool transfer, content, gzip;
  } const cases[] = {
      {{}, true, true, false},
      {{{"content-encoding", "gzip"}}, true, true, true},
      {{{"Content-Encoding", "X-GZip"}}, true, true, true},
      {{{"content-encoding", ""}, {"content-encoding", " , gzip ,"}}, true, true, true},
      {{{"content-encoding", "identity"}}, true, true, false},
      {{{"content-encoding", "identity, gzip"}}, true, true, true},
      {{{"content-encoding", "gzip, gzip"}}, true, false, false},
      {{{"content-encoding", "gzip"}, {"content-encoding", "gzip"}}, true, false, false},
      {{{"content-encoding", "gzip,x-gzip"}}, true, false, false},
      {{{"content-encoding", "br"}}, true, false, false},
      {{{"content-encoding", "zstd"}}, true, false, false},
      {{{"content-encoding", "deflate"}}, true, false, false},
      {{{"content-encoding", "gzip;q=1"}}, true, false, false},
      {{{"content-encoding", "zstd"}, {"content-encoding", "gzip"}}, true, false, false},
      {{{"transfer-encoding", "Chunked"}}, true, true, false},
      {{{"transfer-encoding", "identity"}}, true, true, false},
      {{{"transfer-encoding", "gzip"}}, false, true, false},
      {{{"transfer-encoding", "gzip, chunked"}}, false, true, false},
      {{{"transfer-encoding", "zstd"}}, false, true, false},
      {{{"transfer-encoding", "chunked, chunked"}}, false, true, false},
      {{{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}, false, true, false},
      {{{"content-encoding", "gzip"}, {"transfer-encoding", "chunked"}}, true, true, true},
      {{{"x-encoding", "br"}, {"accept-encoding", "br"}}, true, true, false},
  };
  for (auto const& c : cases) {
    received_codings read;
    std::string all;
    for (auto const& [name, value] : c.fields) {
      read.add(name, value);
      all.append(name).append(": ").append(value).append("\n");
    }
    CAPTURE(all);
    CHECK(read.transfer_supported() == c.transfer);
    CHECK(read.content_supported() == c.content);
    CHECK(read.gzip() == c.gzip);
  }
}

}  // namespace
}  // namespace svc
