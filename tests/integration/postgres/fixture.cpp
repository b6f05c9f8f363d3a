#include "fixture.hpp"

namespace svc::test {

private_postgres& server() {
  static private_postgres one("max_connections = 40");
  return one;
}

}  // namespace svc::test
