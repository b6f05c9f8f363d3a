#include "svc/store/monitors/monitor_secrets.hpp"

#include "store/sealing/masked_secrets.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/checks/http_check.hpp"
#include "svc/domain/monitoring/checks/variables.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement open_configs{"monitor_secrets_open", R"(
SELECT m.id, m.check_version, m.config, m.sealed, m.project_id, k.key_id, k.wrapped, k.master_key_id
  FROM monitors m JOIN project_keys k ON k.project_id = m.project_id AND k.key_id = m.key_id
 WHERE m.id = ANY ($1))"};

bool is_secret_text(boost::json::value const& value) {
  auto const read = checks::text_with_variables::parse(std::string_view(value.as_string()));
  return !read || !read->is_reference();
}

/// Calls `use(pointer, value)` for each secret in `config`.
template <class Config, class Use>
void each_check_secret(Config& config, Use use) {
  if (auto* const auth = config.if_contains("auth"); auth != nullptr && auth->is_object()) {
    for (std::string const name : {"password", "token"}) {
      auto* const value = auth->get_object().if_contains(name);
      if (value != nullptr && is_secret_text(*value)) use("/auth/" + name, *value);
    }
  }
  auto* const headers = config.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return;
  for (auto&& header : headers->get_object()) {
    std::string_view const name(header.key().data(), header.key().size());
    if (checks::is_secret_header(name) && is_secret_text(header.value()))
      use(pointer_to_header(name), header.value());
  }
}

boost::json::object object_in(std::string_view text) {
  return boost::json::parse(text).as_object();
}

void each_secret_of_check(boost::json::object& config, secret_use const& use) {
  each_check_secret(config, use);
}

std::string_view origin_in(std::string_view target) {
  auto const scheme = target.find("://");
  auto const host = scheme == std::string_view::npos ? 0 : scheme + 3;
  return target.substr(0, target.find_first_of("/?#", host));
}

constexpr auto read_variables_of_check_sql =
    sql("SELECT", variable_columns, variable_tables, "WHERE v.project_id = $1 AND v.key = ANY ($2)");
constexpr postgres::statement read_variables_of_check{"checks_variables", read_variables_of_check_sql};

}  // namespace

std::vector<std::string> secret_pointers_of_check(boost::json::object const& config) {
  std::vector<std::string> found;
  each_check_secret(config, [&](std::string pointer, auto&) { found.push_back(std::move(pointer)); });
  return found;
}

result<split_config> take_check_secrets(boost::json::object wanted, split_config const& stored, bool moved) {
  return move_secrets_out(std::move(wanted), stored, moved ? "target" : "", each_secret_of_check);
}

bool is_another_origin(std::string_view before, std::string_view after) {
  return origin_in(before) != origin_in(after);
}

task<result<stored_config>> seal_config(postgres::unit_of_work& work, master_keys& master, uuid project, uuid monitor,
                                        std::string wanted, stored_config before, bool moved) {
  split_config stored;
  std::optional<project_key> key;
  if (before.sealed) {
    key.emplace(co_await data_key_of(work, master, project));
    stored.secrets = open_secrets(key->plain, *before.sealed, project, monitor, "monitor");
  }
  auto split = take_check_secrets(object_in(wanted), stored, moved);
  if (!split) co_return split.error();
  stored_config out{.shown = boost::json::serialize(split->shown)};
  if (split->secrets.empty()) co_return out;
  if (split->secrets == stored.secrets) {
    out.sealed = std::move(before.sealed);
    out.key = before.key;
    co_return out;
  }
  if (!key) key.emplace(co_await data_key_of(work, master, project));
  out.sealed = seal_secrets(key->plain, split->secrets, project, monitor);
  out.key = key->id;
  co_return out;
}

task<std::vector<opened_config>> monitor_secrets::open(std::vector<uuid> monitors, deadline until) {
  auto const found = settled(co_await db_.run(postgres::query{open_configs, postgres::parameters(monitors)}, until));
  std::vector<opened_config> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    auto const key = open_data_key(master_, r.id(4), r.id(5), r.text(7), r.bytes(6));
    split_config whole{object_in(r.text(2)), open_secrets(key, r.bytes(3), r.id(4), r.id(0), "monitor")};
    auto const config = put_secrets_back(std::move(whole), each_secret_of_check);
    out.push_back({r.id(0), r.integer(1), secret_string(boost::json::serialize(config))});
  }
  co_return out;
}

task<std::vector<opened_variable>> check_variables::read(uuid project, std::vector<std::string> keys,
                                                         deadline until) {
  postgres::query ask{read_variables_of_check, postgres::parameters(project, keys)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<opened_variable> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const row = found[i];
    out.push_back({std::string(row.text(1)), open_variable(master_, row, 0, project), row.boolean(2)});
  }
  co_return out;
}

}  // namespace svc::store
