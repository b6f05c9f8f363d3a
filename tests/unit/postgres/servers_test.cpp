#include "postgres/servers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using svc::postgres::order_of;
using svc::postgres::primary_of;
using svc::postgres::server_address;
using svc::postgres::server_report;
using svc::postgres::servers_of;

namespace {

server_report primary(std::int64_t system, std::int64_t timeline) {
  return {.reached = true, .identity = {system, timeline, false}};
}

server_report standby(std::int64_t system) {
  return {.reached = true, .identity = {system, 0, true}};
}

}  // namespace

TEST_CASE("the servers of a connection string, each by itself") {
  server_address const whole{};
  struct {
    char const* url;
    std::vector<server_address> servers;
  } const table[] = {
      {"postgresql://svc@db1/svc", {{"db1", "", "5432"}}},
      {"postgresql://svc@db1:5433/svc", {{"db1", "", "5433"}}},
      {"postgresql://svc@db1,db2/svc", {{"db1", "", "5432"}, {"db2", "", "5432"}}},
      {"postgresql://svc@db1:1,db2:2/svc", {{"db1", "", "1"}, {"db2", "", "2"}}},
      {"postgresql://svc@/svc?host=/run/a,/run/b", {{"/run/a", "", "5432"}, {"/run/b", "", "5432"}}},
      {"host=db1,db2 port=1,2 target_session_attrs=read-write", {{"db1", "", "1"}, {"db2", "", "2"}}},
      {"host=db1,db2 hostaddr=192.0.2.1,192.0.2.2", {{"db1", "192.0.2.1", "5432"}, {"db2", "192.0.2.2", "5432"}}},
      {"hostaddr=192.0.2.1,192.0.2.2", {{"", "192.0.2.1", "5432"}, {"", "192.0.2.2", "5432"}}},
      // Left to libpq.
      {"postgresql://svc@db1,db2/svc?target_session_attrs=prefer-standby", {whole}},
      {"postgresql://svc@db1,db2/svc?target_session_attrs=any", {whole}},
      {"host=db1,db2 port=1,2,3", {whole}},
      {"host=db1,db2 hostaddr=192.0.2.1", {whole}},
      {"host=db1,,db2", {whole}},
      {"service=other", {whole}},
      {"dbname=svc", {whole}},
      {"", {whole}},
      {"postgresql://[", {whole}},
  };
  for (auto const& row : table) {
    CAPTURE(row.url);
    std::string said;
    for (auto const& address : servers_of(row.url))
      said += address.host + "/" + address.hostaddr + "/" + address.port + " ";
    CAPTURE(std::string(row.url) + " gives " + said);
    CHECK(servers_of(row.url) == row.servers);
  }
}

TEST_CASE("the server that was good is tried first") {
  using list = std::vector<std::size_t>;
  CHECK(order_of(1, 0) == list{0});
  CHECK(order_of(3, 0) == list{0, 1, 2});
  CHECK(order_of(3, 1) == list{1, 0, 2});
  CHECK(order_of(3, 2) == list{2, 0, 1});
}

TEST_CASE("the primary is the one that writes the newest timeline of its cluster") {
  struct {
    char const* subject;
    std::vector<server_report> servers;
    int position;  ///< -1: none
  } const table[] = {
      {"none answers", {{}, {}}, -1},
      {"standbys alone", {standby(7), standby(7)}, -1},
      {"after a standby", {standby(7), primary(7, 1)}, 1},
      {"a former one first", {primary(7, 1), primary(7, 2)}, 1},
      {"a former one last", {primary(7, 3), primary(7, 2)}, 0},
      {"a former one that is away", {{}, primary(7, 2), standby(7)}, 1},
      {"two of one timeline", {primary(7, 2), primary(7, 2)}, 0},
      {"another cluster", {primary(7, 1), primary(8, 5)}, 0},
      {"one that does not tell", {{.reached = true}, primary(7, 1)}, 1},
  };
  for (auto const& row : table) {
    CAPTURE(row.subject);
    auto const found = primary_of(row.servers);
    CHECK((found ? static_cast<int>(found->server) : -1) == row.position);
  }
}
