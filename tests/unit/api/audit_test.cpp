#include "api/resources.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

TEST_CASE("an audit row shows unknown values as null, and its token only if there was one") {
  store::audit_row row;
  row.entry.action = "user.created";
  row.entry.details = R"({"a":1})";
  auto const by_operator = test::shown(audit_json, row);
  CHECK(by_operator.size() == 10);
  CHECK(by_operator.at("actor") == boost::json::value{{"id", nullptr}, {"name", "operator"}});
  for (auto const* member : {"resourceId", "ip", "userAgent", "requestId"}) CHECK(by_operator.at(member).is_null());
  CHECK(by_operator.at("details").at("a") == 1);
  row.entry.actor.token = uuid::generate_v7();
  row.entry.actor.ip = "::1";
  CHECK(test::shown(audit_json, row).at("actor").at("tokenId") ==
        boost::json::value(row.entry.actor.token->to_string()));
  CHECK(test::shown(audit_json, row).at("ip") == "::1");
}

}  // namespace
}  // namespace svc::api
