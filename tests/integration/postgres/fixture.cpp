#include "fixture.hpp"

namespace svc::test {

private_postgres& server() {
  static private_postgres postgres("max_connections = 40");
  return postgres;
}

}  // namespace svc::test
