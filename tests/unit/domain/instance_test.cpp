#include "svc/domain/instance.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("an instance is read as it was written, and an entry without an id is not an instance") {
  std::string const id = "01934f5c-7b2e-7cc1-b8a4-9d1f6e0a2b3c";
  auto const whose = uuid::parse(id).value();
  instance_identity const whole{whose, "0.2.0", "abc", "svc-1", "[::]:8443"};
  CHECK(to_text(whole) == id + " 0.2.0 abc svc-1 [::]:8443");
  struct {
    std::string text;
    std::optional<instance_identity> read;
  } const table[] = {{to_text(whole), whole},
                     {to_text({.id = whose}), instance_identity{.id = whose}},
                     {id, instance_identity{.id = whose}},
                     {id + " 1", instance_identity{whose, "1"}},
                     {id + " 0.3.0 abc svc-1 unix:/run/s more of it",
                      instance_identity{whose, "0.3.0", "abc", "svc-1", "unix:/run/s more of it"}},
                     {"", {}},
                     {" ", {}},
                     {id.substr(1), {}},
                     {id + "x 0.2.0", {}},
                     {"0.2.0 " + id, {}}};
  for (auto const& c : table) {
    CAPTURE(c.text);
    CHECK((read_instance(c.text) == c.read));
  }
}
