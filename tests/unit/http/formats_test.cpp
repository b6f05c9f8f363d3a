#include "http/contract_schema.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace svc::http {
namespace {

using namespace std::string_view_literals;

struct format_case {
  std::string_view format;
  std::string_view text;
  bool expected;
};

format_case const format_cases[] = {
    {"uuid", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", true},
    {"uuid", "01934F2E-7C1A-7D3E-9B1F-5A2C8E4D6F70", true},
    {"uuid", "01934f2e7c1a7d3e9b1f5a2c8e4d6f70", false},
    {"uuid", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f7", false},
    {"uuid", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f700", false},
    {"uuid", "g1934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", false},
    {"uuid", "", false},
    {"date-time", "2026-11-20T10:11:12Z", true},
    {"date-time", "2026-11-20T10:11:12.345+02:00", true},
    {"date-time", "2026-11-20", false},
    {"date-time", "2026-11-20T10:11:12", false},
    {"date-time", "2026-13-20T10:11:12Z", false},
    {"date-time", "", false},
    {"cidr", "203.0.113.0/24", true},
    {"cidr", "0.0.0.0/0", true},
    {"cidr", "203.0.113.7/32", true},
    {"cidr", "203.0.113.0/33", false},
    {"cidr", "2001:db8::/128", true},
    {"cidr", "2001:db8::/129", false},
    {"cidr", "::ffff:203.0.113.0/96", true},
    {"cidr", "203.0.113.0", false},
    {"cidr", "203.0.113.0/", false},
    {"cidr", "203.0.113.0/024", false},
    {"cidr", "203.0.113.0/+8", false},
    {"cidr", "203.0.113/24", false},
    {"cidr", "203.0.113.0\0x/24"sv, false},
    {"cidr", "fe80::1%eth0/64", false},
    {"cidr", "/8", false},
    {"cidr", "", false},
    {"cron", "* * * * *", true},
    {"cron", "0 6 * * mon-fri", true},
    {"cron", "59 23 31 12 7", true},
    {"cron", "60 * * * *", false},
    {"cron", "* 24 * * *", false},
    {"cron", "* * 32 * *", false},
    {"cron", "* * 0 * *", false},
    {"cron", "* * * 13 *", false},
    {"cron", "* * * 0 *", false},
    {"cron", "* * * * 8", false},
    {"cron", "*/15 0-6/2,12 1,15 JAN,Jul sun", true},
    {"cron", "*/0 * * * *", false},
    {"cron", "*/60 * * * *", false},
    {"cron", "5/15 * * * *", true},
    {"cron", "10-5 * * * *", false},
    {"cron", "* * * mon *", false},
    {"cron", "1,,2 * * * *", false},
    {"cron", "1, * * * *", false},
    {"cron", "- * * * *", false},
    {"cron", "-1 * * * *", false},
    {"cron", "* * * *", false},
    {"cron", "* * * * * *", false},
    {"cron", "  0\t6 * * *  ", true},
    {"cron", "@daily", false},
    {"cron", "0\n6 * * *", false},
    {"cron", "99999999999999999999 * * * *", false},
    {"cron", "", false},
};

TEST_CASE("formats accept exactly their texts") {
  for (auto const& [name, text, expected] : format_cases) {
    CAPTURE(name);
    CAPTURE(text);
    auto const* const found = find_format(name);
    REQUIRE(found != nullptr);
    CHECK(found->matches(text) == expected);
    CHECK(found->expectation.starts_with("must be "));
  }
}

TEST_CASE("a format that is not enforced is not found") {
  for (auto const name : {"email", "uri", "timezone", "UUID", ""}) CHECK(find_format(name) == nullptr);
}

}  // namespace
}  // namespace svc::http
