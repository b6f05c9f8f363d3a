#include "svc/store/monitors/check_variables.hpp"

#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"

namespace svc::store {
namespace {

constexpr auto read_variables_of_check_sql =
    sql("SELECT", variable_columns, variable_tables, "WHERE v.project_id = $1 AND v.key = ANY ($2)");
constexpr postgres::statement read_variables_of_check{"checks_variables", read_variables_of_check_sql};

}  // namespace

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
