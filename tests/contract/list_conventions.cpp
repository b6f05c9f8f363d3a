#include "contract/list_conventions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace svc::test {
namespace {

namespace json = boost::json;

bool is_list(contract_fixture& s, http::operation const& op) {
  return op.method == "GET" && parameter(s, op, "cursor").has_value();
}

struct listed {
  int status = 0;
  json::object pagination{};
  std::vector<std::string> ids{};
  std::map<std::string, std::string> links{};
};

listed list(contract_fixture& s, std::string const& token, std::string const& target) {
  auto const got = s.send({"GET", target, token});
  listed out{.status = got.status};
  if (got.status != 200) return out;
  auto const body = json::parse(got.body);
  out.pagination = body.at("pagination").as_object();
  for (auto const& row : body.at("data").as_array())
    out.ids.emplace_back(row.at(row.as_object().contains("id") ? "id" : "checkedAt").as_string());
  auto const text = got.header("Link").value_or("");
  std::regex const link(R"re(<https?://[^/]+([^>]+)>; rel="(\w+)")re");
  for (std::sregex_iterator iterator(text.begin(), text.end(), link), end; iterator != end; ++iterator)
    out.links[(*iterator)[2]] = (*iterator)[1];
  return out;
}

void check_walk(contract_fixture& s, std::string const& token, std::string const& path, std::string const& query) {
  auto const whole = list(s, token, path + "?limit=100" + query);
  REQUIRE(whole.status == 200);
  REQUIRE(!whole.ids.empty());
  CHECK(whole.pagination.at("total") == whole.ids.size());
  std::vector<std::string> seen;
  auto address = path + "?limit=1" + query;
  for (std::int64_t page = 1; !address.empty(); ++page) {
    auto const listed = list(s, token, address);
    REQUIRE(listed.status == 200);
    REQUIRE(listed.ids.size() == 1);
    seen.push_back(listed.ids.front());
    bool const more = seen.size() < whole.ids.size();
    CHECK(listed.pagination.at("page") == page);
    CHECK(listed.pagination.at("total") == whole.ids.size());
    CHECK(listed.pagination.at("totalPages") == whole.ids.size());
    CHECK_FALSE(listed.pagination.contains("totalIsEstimate"));
    CHECK(listed.pagination.at("hasNextPage") == more);
    CHECK(listed.pagination.at("hasPrevPage") == (page > 1));
    CHECK(listed.links.contains("next") == more);
    CHECK(listed.links.contains("prev") == (page > 1));
    CHECK(list(s, token, listed.links.at("first")).ids.front() == whole.ids.front());
    CHECK(list(s, token, listed.links.at("last")).ids.front() == whole.ids.back());
    if (page > 1) CHECK(list(s, token, listed.links.at("prev")).ids.front() == *(seen.end() - 2));
    address = more ? listed.links.at("next") : "";
    if (more)
      CHECK(list(s, token, path + "?limit=1" + query + "&page=" + std::to_string(page + 1)).ids ==
            list(s, token, address).ids);
  }
  CHECK(seen == whole.ids);
}

void check_bounds(contract_fixture& s, std::string const& token, std::string const& path) {
  CHECK(list(s, token, path).pagination.at("limit") == 20);
  for (std::string const wrong : {"limit=0", "limit=101", "limit=1.5", "limit=", "page=0", "page=-1", "page=1000001",
                                  "page=x", "limit=1&limit=2", "cursor=x&page=2", "cursor=", "sort=nonsense"}) {
    CAPTURE(wrong);
    CHECK(list(s, token, path + "?" + wrong).status == 400);
  }
  auto const past = list(s, token, path + "?page=1000000&limit=100");
  CHECK(past.status == 200);
  CHECK(past.ids.empty());
  CHECK(past.pagination.at("hasNextPage") == false);
  CHECK(past.pagination.at("hasPrevPage") == true);
  auto const next = list(s, token, path + "?limit=1").links;
  if (!next.contains("next")) return;
  auto const first = std::regex_replace(next.at("next"), std::regex("page=2"), "page=1");
  CHECK(list(s, token, first).status == 400);
}

json::array rows(contract_fixture& s, std::string const& token, std::string const& target) {
  return json::parse(s.send({"GET", target, token}).body).at("data").as_array();
}

void check_sort(contract_fixture& s, http::operation const& op, std::string const& token, std::string const& path) {
  auto const declared = parameter(s, op, "sort");
  if (!declared) return;
  for (auto const& value : declared->schema.at("enum").as_array()) {
    std::string const sort(value.as_string());
    CAPTURE(sort);
    bool const down = sort.starts_with('-');
    std::vector<std::string> keys;
    for (auto const& row : rows(s, token, path + "?sort=" + sort))
      keys.emplace_back(row.at(sort.substr(down ? 1 : 0)).as_string());
    if (down) std::reverse(keys.begin(), keys.end());
    // By status what is worst comes first.
    if (sort != "status") CHECK(std::is_sorted(keys.begin(), keys.end()));
    check_walk(s, token, path, "&sort=" + sort);
  }
}

/// Every character in a search text stands for itself.
void check_search(contract_fixture& s, http::operation const& op, std::string const& token, std::string const& path) {
  if (!parameter(s, op, "search")) return;
  for (std::string const text : {"%25", "_", "%5C", "'", "(", ".*"}) {
    CAPTURE(text);
    auto const found = list(s, token, path + "?search=" + text);
    CHECK(found.status == 200);
    CHECK(found.ids.empty());
  }
}

/// Three of everything that can be created, so that lists have several pages.
contract_tenant crowded(contract_fixture& s) {
  auto const tenant = s.make_tenant();
  for (auto const& op : s.contract().operations()) {
    if (op.method != "POST" || op.success != 201 || op.path.ends_with("/rotate")) continue;
    auto r = s.good(op, tenant);
    for (int i = 0; i < 2; ++i) {
      auto body = json::parse(r.body).as_object();
      if (body.contains("name")) body["name"] = "crowd" + std::to_string(i);
      if (body.contains("slug")) body["slug"] = "crowd" + std::to_string(i) + "-" + tenant.ids.at("jobs").substr(24);
      if (body.contains("key")) body["key"] = "CROWD" + std::to_string(i);
      // Paused: its checks would change the list while pages are compared.
      if (op.id == "create_monitor") body["enabled"] = false;
      r.body = json::serialize(body);
      s.must(201, r);
    }
  }
  for (int i = 0; i < 3; ++i) s.must(202, {"POST", "/api/jobs/" + tenant.ids.at("jobs") + "/trigger", tenant.token});
  s.await_first_check(tenant);
  return tenant;
}

}  // namespace

std::optional<declared_parameter> parameter(contract_fixture& s, http::operation const& op, std::string_view name) {
  for (auto const& declared_parameter : s.contract().parameters(op))
    if (declared_parameter.name == name) return declared_parameter;
  return std::nullopt;
}

int check_lists(contract_fixture& s, bool (*check_encoding)(contract_fixture&, request const&)) {
  auto const tenant = crowded(s);
  int encoded = 0;
  int checked = 0;
  for (auto const& op : s.contract().operations()) {
    if (!is_list(s, op)) continue;
    CAPTURE(op.id);
    auto const path = path_of(op, tenant.ids);
    encoded += check_encoding(s, {"GET", path, tenant.token}) ? 1 : 0;
    // Results have no ids, and nobody counts them: their pages are in results_test.cpp.
    if (op.id != "list_monitor_results") check_walk(s, tenant.token, path, "");
    check_bounds(s, tenant.token, path);
    check_sort(s, op, tenant.token, path);
    check_search(s, op, tenant.token, path);
    ++checked;
  }
  CHECK(checked >= 6);
  return encoded;
}

}  // namespace svc::test
