#include "svc/core/trace_parent.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;

namespace {

// The examples of the specification.
std::string const trace = "0af7651916cd43dd8448eb211c80319c", parent = "b7ad6b7169203331";
std::string const rest = trace + "-" + parent;

}  // namespace

TEST_CASE("which values of traceparent name a trace") {
  struct {
    char const* name;
    std::string value;
    bool valid;
    bool sampled = false;
  } const cases[] = {
      {"sampled", "00-" + rest + "-01", true, true},
      {"not sampled", "00-" + rest + "-00", true},
      {"flags that nobody knows", "00-" + rest + "-fe", true},
      {"all flags", "00-" + rest + "-ff", true, true},
      {"a later version", "01-" + rest + "-0b", true, true},
      {"a later version with more", "cc-" + rest + "-01-what-the-future-brings", true, true},
      {"a later version with nothing behind its dash", "cc-" + rest + "-01-", true, true},
      {"a later version with more, but no dash", "cc-" + rest + "-01.what", false},
      {"version 00 with more", "00-" + rest + "-01-what", false},
      {"version 00 with a dash", "00-" + rest + "-01-", false},
      {"no version", "ff-" + rest + "-01", false},
      {"upper case in the version", "0A-" + rest + "-01", false},
      {"a version that is no number", ".0-" + rest + "-01", false},
      {"no trace", "00-" + std::string(32, '0') + "-" + parent + "-01", false},
      {"no parent", "00-" + trace + "-" + std::string(16, '0') + "-01", false},
      {"upper case in the trace", "00-0AF7651916CD43DD8448EB211C80319C-" + parent + "-01", false},
      {"upper case in the parent", "00-" + trace + "-B7AD6B7169203331-01", false},
      {"upper case in the flags", "00-" + rest + "-0A", false},
      {"a trace with another character", "00-0af7651916cd43dd8448eb211c80319g-" + parent + "-01", false},
      {"flags with another character", "00-" + rest + "-0.", false},
      {"underscores", "00_" + rest + "-01", false},
      {"an underscore behind the trace", "00-" + trace + "_" + parent + "-01", false},
      {"an underscore behind the parent", "00-" + rest + "_01", false},
      {"one digit too few", "00-" + rest + "-0", false},
      {"one digit too many", "00-" + rest + "-011", false},
      {"a short trace", "00-" + trace.substr(1) + "-" + parent + "-01", false},
      {"a space before it", " 00-" + rest + "-01", false},
      {"a space behind it", "00-" + rest + "-01 ", false},
      {"empty", "", false},
      {"a NUL", "00-" + rest + std::string("-0\0", 3), false},
      {"two in one field", "00-" + rest + "-01,00-" + rest + "-01", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const got = read_trace_parent(c.value);
    REQUIRE(got.has_value() == c.valid);
    if (!got) continue;
    CHECK(got->trace_id == trace);
    CHECK(got->parent_id == parent);
    CHECK(got->sampled == c.sampled);
  }
}

TEST_CASE("the forwarded trace has version 00, and its flags only say whether it is sampled") {
  struct {
    std::string source, out;
  } const cases[] = {
      {"00-" + rest + "-01", "00-" + rest + "-01"},
      {"00-" + rest + "-fe", "00-" + rest + "-00"},
      {"cc-" + rest + "-0b-what-the-future-brings", "00-" + rest + "-01"},
  };
  for (auto const& c : cases) CHECK(read_trace_parent(c.source)->to_string() == c.out);
}
