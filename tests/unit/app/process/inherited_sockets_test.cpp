#include "app/process/inherited_sockets.hpp"

#include "svc/net/listener.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace svc::app {
namespace {

using sockets = std::vector<inherited_socket>;

TEST_CASE("variables about inherited sockets") {
  struct {
    char const* name;
    activation reported;
    sockets expected;
  } const cases[] = {
      {"nothing", {}, {}},
      {"one", {"7", "1", "public"}, {{"public", 3}}},
      {"two", {"7", "2", "public:admin"}, {{"public", 3}, {"admin", 4}}},
      {"an empty name", {"7", "2", ":admin"}, {{"", 3}, {"admin", 4}}},
      {"without names", {"7", "2", ""}, {{"unknown", 3}, {"unknown", 4}}},
      {"none", {"7", "0", ""}, {}},
      {"another process", {"8", "1", "public"}, {}},
      {"no process", {"", "1", "public"}, {}},
      {"no number of a process", {"7x", "1", "public"}, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(read_inherited(c.reported, 7) == c.expected);
  }
  for (auto const& [count, names] : {std::pair{"-1", ""}, {"x", ""}, {"65", ""}, {"1", "a:b"}, {"2", "a"}}) {
    CAPTURE(count);
    CAPTURE(names);
    CHECK_THROWS_AS(read_inherited({"7", count, names}, 7), std::runtime_error);
  }
}

TEST_CASE("listeners are called by kind, and by number from the second of a kind on") {
  configuration config;
  CHECK(listener_names(config) == std::vector<std::string>{"public", "admin"});
  config.listeners = {{.kind = listener_kind::internal_api}, {}, {}, {.kind = listener_kind::internal_api}, {}};
  CHECK(listener_names(config) ==
        std::vector<std::string>{"internal", "public", "public-2", "internal-2", "public-3", "admin"});
}

TEST_CASE("each socket finds its listener; one that finds none is refused with the names that are expected") {
  std::vector<std::string> const names{"public", "internal", "admin"};
  auto const none = net::not_inherited;
  CHECK(descriptors_for(names, {}) == std::vector<int>{none, none, none});
  CHECK(descriptors_for(names, {{"admin", 3}, {"public", 4}}) == std::vector<int>{4, none, 3});
  CHECK_THROWS_WITH_AS(descriptors_for(names, {{"web", 3}}),
                       "the inherited socket \"web\" belongs to no listener; expected: public, internal, admin "
                       "(FileDescriptorName= of "
                       "the socket unit)",
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(descriptors_for(names, {{"admin", 3}, {"admin", 4}}),
                       doctest::Contains("two inherited sockets"), std::runtime_error);
}

}  // namespace
}  // namespace svc::app
