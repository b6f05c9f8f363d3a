// The conventions of HTTP that hold for every operation, read off the document: whatever is added keeps them.
#include "contract/stage.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <regex>
#include <set>

namespace svc::test {
namespace {

namespace json = boost::json;

std::string gunzip(std::string const& bytes) {
  std::string out(16UL * 1024 * 1024, '\0');
  z_stream z{};
  REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK);
  std::string in = bytes;
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - z.avail_out);
  inflateEnd(&z);
  return out;
}

bool holds(std::vector<std::string> const& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::optional<declared_parameter> parameter(stage& s, http::operation const& op, std::string_view name) {
  for (auto const& one : s.contract().parameters(op))
    if (one.name == name) return one;
  return std::nullopt;
}

bool is_list(stage& s, http::operation const& op) {
  return op.method == "GET" && parameter(s, op, "cursor").has_value();
}

/// A stream has no end, and so no length, tag or encoding.
bool in_json(stage& s, http::operation const& op) {
  auto const* const found = s.contract().response(op, 200);
  auto const* const content = found == nullptr ? nullptr : found->if_contains("content");
  return content != nullptr && content->as_object().contains("application/json");
}

support::answer with(stage& s, request r, std::string name, std::string value) {
  r.headers.emplace_back(std::move(name), std::move(value));
  return s.send(r);
}

std::string without_last_use(std::string const& body) {
  return std::regex_replace(body, std::regex(R"re("lastUsed(At|Ip)":[^,}]*)re"), "");
}

void check_tags(stage& s, request const& r) {
  auto const first = s.send(r);
  REQUIRE(first.status == 200);
  auto const tag = first.header("ETag").value_or("");
  CHECK(std::regex_match(tag, std::regex(R"("\d+-[0-9a-f]{16}")")));
  CHECK(first.header("Cache-Control") == "private, no-cache");
  for (auto const& same : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    CAPTURE(same);
    auto const got = with(s, r, "If-None-Match", same);
    CHECK(got.status == 304);
    CHECK(got.body.empty());
    CHECK(got.header("ETag") == tag);
    CHECK_FALSE(got.header("Content-Type"));
    CHECK(got.header("RateLimit"));
  }
  auto other = tag;
  other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
  CHECK(with(s, r, "If-None-Match", other).status == 200);
}

/// True when it was large enough to be encoded.
bool check_encoding(stage& s, request const& r) {
  auto const plain = s.send(r);
  auto const got = with(s, r, "Accept-Encoding", "br, gzip;q=0.8");
  bool const encoded = got.header("Content-Encoding") == "gzip";
  CHECK(encoded == (plain.body.size() >= 1024 && plain.header("Cache-Control") != "no-store"));
  CHECK((plain.header("Vary").value_or("").find("Accept-Encoding") != std::string::npos) == encoded);
  CHECK_FALSE(plain.header("Content-Encoding"));
  if (!encoded) return false;
  CHECK(got.body.size() < plain.body.size());
  CHECK(without_last_use(gunzip(got.body)) == without_last_use(plain.body));
  CHECK_FALSE(with(s, r, "Accept-Encoding", "gzip;q=0").header("Content-Encoding"));
  auto const tag = got.header("ETag").value_or("");
  CHECK(tag != plain.header("ETag").value_or(""));
  auto again = r;
  again.headers.emplace_back("Accept-Encoding", "gzip");
  CHECK(with(s, again, "If-None-Match", tag).status == 304);
  again.method = "HEAD";
  CHECK(s.send(again).header("Content-Encoding") == "gzip");
  return true;
}

void check_any(stage& s, http::operation const& op) {
  auto r = s.good(op);
  r.method = "OPTIONS";
  auto const options = s.send(r);
  CHECK(options.status == 204);
  auto const allow = ", " + options.header("Allow").value_or("") + ",";
  auto expected = s.contract().methods(op);
  if (holds(expected, "GET")) expected.emplace_back("HEAD");
  expected.emplace_back("OPTIONS");
  for (auto const& method : expected) CHECK(allow.find(" " + method + ",") != allow.npos);
  CHECK(std::count(allow.begin(), allow.end(), ',') == static_cast<long>(expected.size()) + 1);

  auto unknown = s.good(op);
  unknown.target += "?nonsense=1";
  unknown.headers = {{"X-Request-Id", "mine"}};
  if (op.token_kinds.empty() && op.method == "GET") {
    auto const got = s.send(unknown);
    CHECK(got.status == 200);
    CHECK(got.header("X-Request-Id") == "mine");
  } else {
    auto const got = s.send(unknown);
    CHECK(got.status == 400);
    CHECK(got.header("X-Request-Id") == "mine");
    CHECK(got.body.find("nonsense") != got.body.npos);
  }
  if (op.method == "PATCH" || op.method == "PUT" || op.method == "DELETE") {
    CHECK(parameter(s, op, "If-Match"));
    CHECK(holds(op.errors, "precondition_failed"));
    CHECK(with(s, s.good(op), "If-Match", "garbage").status == 400);
  }
}

struct listed {
  int status = 0;
  json::object pagination{};
  std::vector<std::string> ids{};
  std::map<std::string, std::string> links{};
};

listed list(stage& s, std::string const& token, std::string const& target) {
  auto const got = s.send({"GET", target, token});
  listed out{.status = got.status};
  if (got.status != 200) return out;
  auto const body = json::parse(got.body);
  out.pagination = body.at("pagination").as_object();
  for (auto const& row : body.at("data").as_array()) out.ids.emplace_back(row.at("id").as_string());
  auto const text = got.header("Link").value_or("");
  std::regex const link(R"re(<https?://[^/]+([^>]+)>; rel="(\w+)")re");
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) out.links[(*at)[2]] = (*at)[1];
  return out;
}

void check_walk(stage& s, std::string const& token, std::string const& path, std::string const& query) {
  auto const whole = list(s, token, path + "?limit=100" + query);
  REQUIRE(whole.status == 200);
  REQUIRE(!whole.ids.empty());
  CHECK(whole.pagination.at("total") == whole.ids.size());
  std::vector<std::string> seen;
  auto at = path + "?limit=1" + query;
  for (std::int64_t page = 1; !at.empty(); ++page) {
    auto const one = list(s, token, at);
    REQUIRE(one.status == 200);
    REQUIRE(one.ids.size() == 1);
    seen.push_back(one.ids.front());
    bool const more = seen.size() < whole.ids.size();
    CHECK(one.pagination.at("page") == page);
    CHECK(one.pagination.at("total") == whole.ids.size());
    CHECK(one.pagination.at("totalPages") == whole.ids.size());
    CHECK_FALSE(one.pagination.contains("totalIsEstimate"));
    CHECK(one.pagination.at("hasNextPage") == more);
    CHECK(one.pagination.at("hasPrevPage") == (page > 1));
    CHECK(one.links.contains("next") == more);
    CHECK(one.links.contains("prev") == (page > 1));
    CHECK(list(s, token, one.links.at("first")).ids.front() == whole.ids.front());
    CHECK(list(s, token, one.links.at("last")).ids.front() == whole.ids.back());
    if (page > 1) CHECK(list(s, token, one.links.at("prev")).ids.front() == *(seen.end() - 2));
    at = more ? one.links.at("next") : "";
    if (more)
      CHECK(list(s, token, path + "?limit=1" + query + "&page=" + std::to_string(page + 1)).ids ==
            list(s, token, at).ids);
  }
  CHECK(seen == whole.ids);
}

void check_bounds(stage& s, std::string const& token, std::string const& path) {
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

json::array rows(stage& s, std::string const& token, std::string const& target) {
  return json::parse(s.send({"GET", target, token}).body).at("data").as_array();
}

void check_sort(stage& s, http::operation const& op, std::string const& token, std::string const& path) {
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
    CHECK(std::is_sorted(keys.begin(), keys.end()));
    check_walk(s, token, path, "&sort=" + sort);
  }
}

/// Nothing in what is searched means anything but itself.
void check_search(stage& s, http::operation const& op, std::string const& token, std::string const& path) {
  if (!parameter(s, op, "search")) return;
  for (std::string const text : {"%25", "_", "%5C", "'", "(", ".*"}) {
    CAPTURE(text);
    auto const found = list(s, token, path + "?search=" + text);
    CHECK(found.status == 200);
    CHECK(found.ids.empty());
  }
}

/// Three of whatever can be made, so that lists have something to put in pages.
place crowded(stage& s) {
  auto const in = s.make_place();
  for (auto const& op : s.contract().operations()) {
    if (op.method != "POST" || op.success != 201 || op.path.ends_with("/rotate")) continue;
    auto r = s.good(op, in);
    for (int i = 0; i < 2; ++i) {
      auto body = json::parse(r.body).as_object();
      if (body.contains("name")) body["name"] = "crowd" + std::to_string(i);
      if (body.contains("key")) body["key"] = "CROWD" + std::to_string(i);
      r.body = json::serialize(body);
      s.must(201, r);
    }
  }
  for (int i = 0; i < 3; ++i) s.must(202, {"POST", "/api/jobs/" + in.ids.at("jobs") + "/trigger", in.token});
  return in;
}

/// How many of them were encoded.
int check_lists(stage& s) {
  auto const in = crowded(s);
  int encoded = 0;
  int checked = 0;
  for (auto const& op : s.contract().operations()) {
    if (!is_list(s, op)) continue;
    CAPTURE(op.id);
    auto const path = path_of(op, in.ids);
    encoded += check_encoding(s, {"GET", path, in.token}) ? 1 : 0;
    check_walk(s, in.token, path, "");
    check_bounds(s, in.token, path);
    check_sort(s, op, in.token, path);
    check_search(s, op, in.token, path);
    ++checked;
  }
  CHECK(checked >= 6);
  return encoded;
}

/// A last use is no change: nobody's copy grows old by reading it.
void check_last_use(stage& s) {
  auto const& in = s.main();
  struct {
    std::string target, sql, id;
  } const cases[] = {
      {"/api/cli-tokens/", "INSERT INTO token_last_use VALUES ($1, now(), '192.0.2.1')", in.ids.at("cli-tokens")},
      {"/api/notification-providers/", "UPDATE notification_providers SET last_used_at = now() WHERE id = $1",
       in.ids.at("notification-providers")},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    request const r{"GET", c.target + c.id, in.token};
    auto const before = s.send(r);
    s.sql().run(c.sql, {c.id});
    auto const after = s.send(r);
    CHECK(before.body != after.body);
    CHECK(before.header("ETag") == after.header("ETag"));
    CHECK(with(s, r, "If-None-Match", before.header("ETag").value_or("")).status == 304);
  }
}

// One case, so that one service serves it all.
TEST_CASE("every operation keeps the conventions of HTTP") {
  stage s;
  int conditional = 0;
  int encoded = 0;
  for (auto const& op : s.contract().operations()) {
    CAPTURE(op.id);
    check_any(s, op);
    if (op.method != "GET" || !in_json(s, op)) continue;
    CHECK(op.conditional == (!op.token_kinds.empty() || s.contract().response(op, 304) != nullptr));
    auto const r = s.good(op);
    encoded += check_encoding(s, r) ? 1 : 0;
    if (op.token_kinds.empty()) continue;
    check_tags(s, r);
    ++conditional;
  }
  CHECK(conditional >= 12);
  encoded += check_lists(s);
  CHECK(encoded >= 3);
  check_last_use(s);
}

}  // namespace
}  // namespace svc::test
