#include "fixture.hpp"

#include <fstream>

using namespace svc;
using namespace svc::test;

TEST_CASE("of several hosts the primary is used, not the standby that comes first") {
  private_postgres late;
  late.stop();
  // It follows no primary, so it knows only what it knew when it was stopped.
  std::ofstream(late.directory() + "/data/standby.signal").flush();
  late.start();
  postgres::query const in_recovery{{"in_recovery", "SELECT pg_is_in_recovery()"}};
  struct {
    std::string more;
    bool late;
  } const table[] = {{"", false}, {"&target_session_attrs=any", true}};
  for (auto const& row : table) {
    CAPTURE(row.more);
    asio::io_context io{1};
    postgres::settings how;
    how.url =
        secret_string("postgresql://svc@/postgres?host=" + late.directory() + "," + server().directory() + row.more);
    postgres::pool pool(io, how);
    pool.start();
    auto const asked = run_task(io, pool.run(in_recovery, database::soon()));
    REQUIRE(asked.has_value());
    CHECK(asked->front().boolean(0) == row.late);
  }
}
