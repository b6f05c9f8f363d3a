#include "svc/access/relay.hpp"

#include "svc/domain/principal.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("a notification of an advance is read completely or not at all") {
  auto const subject = uuid::parse("01934f5c-7b2e-7cc1-b8a4-9d1f6e0a2b3c").value();
  auto const key = epoch_key(subject.to_string());
  struct {
    std::string payload;
    std::int64_t epoch;  ///< -1: nothing
  } const table[] = {{key + " 17", 17},
                     {key + " 9223372036854775807", INT64_MAX},
                     {key + " 9223372036854775808", -1},
                     {key + " -1", -1},
                     {key + " ", -1},
                     {key + " 17x", -1},
                     {key + "  17", -1},
                     {key, -1},
                     {"x" + key + " 17", -1},
                     {"svc:{" + subject.to_string() + "}:news 17", -1},
                     {"svc:{nobody}:epoch 17", -1},
                     {"}{ 17", -1},
                     {"{ 17", -1},
                     {"", -1}};
  for (auto const& c : table) {
    CAPTURE(c.payload);
    auto const read = access::read_bump(c.payload);
    REQUIRE(read.has_value() == (c.epoch >= 0));
    if (!read) continue;
    CHECK(read->subject == subject);
    CHECK(read->epoch == c.epoch);
  }
}
