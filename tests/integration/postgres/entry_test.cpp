// Tests the check of a server's timeline before the pool lends one of its sessions.
#include "fixture.hpp"
#include "support/store_probe.hpp"

using namespace svc;
using namespace svc::test;
using postgres::query;

namespace {

postgres::settings with_entry(std::string const& url, std::string_view sql, std::vector<std::int64_t>& entered) {
  postgres::settings settings{.url = secret_string(url), .size = 4};
  settings.entry = {.ask = {"enter_test", sql, true},
                    .entered = [&entered](std::int64_t n) { entered.push_back(n); }};
  return settings;
}

/// Returns the refusal; empty if the pool lends a session.
std::string refusal_of(postgres::settings settings) {
  asio::io_context io{1};
  postgres::pool pool(io, std::move(settings));
  pool.start();
  std::string reason;
  try {
    run_task(io, pool.run(query{{"one", "SELECT 1"}}, database::soon())).value();
    auto first = run_task(io, pool.begin(database::soon())), second = run_task(io, pool.begin(database::soon()));
  } catch (unavailable const& e) {
    reason = e.what();
  }
  pool.stop();
  return reason;
}

}  // namespace

TEST_CASE("a timeline is entered once for a pool, before a session is lent, though no standby confirms it") {
  private_postgres lonely("synchronous_standby_names = 'nobody'");
  ask_postgres(lonely.url(), "SET synchronous_commit = local; CREATE TABLE entries (system int8, timeline int8)");
  std::vector<std::int64_t> entered;
  CHECK(refusal_of(with_entry(lonely.url(),
                              "INSERT INTO entries VALUES ($1, $2) RETURNING (SELECT count(*) FROM entries) + 7",
                              entered)) == "");
  CHECK(entered == std::vector<std::int64_t>{7});
  CHECK(ask_postgres(lonely.url(),
                     "SELECT timeline, system = (SELECT system_identifier FROM pg_control_system()) "
                     "FROM entries") == sql_rows{{"1", "t"}});
}

TEST_CASE("a timeline that cannot be entered lends no session; before the schema is there, nothing is entered") {
  std::vector<std::int64_t> entered;
  auto const reason = refusal_of(with_entry(server().url(), "SELECT $1::int8 / ($2::int8 - $2::int8)", entered));
  CAPTURE(reason);
  CHECK(reason.find("the server's timeline cannot be entered: 22012") != reason.npos);
  CHECK(refusal_of(with_entry(server().url(), "SELECT not_there($1::int8, $2::int8)", entered)) == "");
  CHECK(entered.empty());
}
