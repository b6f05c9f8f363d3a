#include "shop.hpp"

#include "svc/store/jobs/variable_store.hpp"

#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

svc::variable make(shop& db, store::variable_store& variables, std::string key, std::string value, bool is_secret) {
  auto made = db.wait(variables.create(
      db.as_ed(), {.key = std::move(key), .value = secret_string(std::move(value)), .is_secret = is_secret},
      db.soon()));
  REQUIRE(made.has_value());
  return *made;
}

store::variable_edit edited(std::optional<std::string> value, bool is_secret) {
  return [value, is_secret](svc::variable const& now) {
    store::variable_settings out{.key = now.key, .is_secret = is_secret, .description = now.description};
    if (value) out.value.emplace(*value);
    return result<store::variable_settings>(std::move(out));
  };
}

std::string revealed(shop& db, store::variable_store& variables, uuid id) {
  auto const value = db.wait(variables.reveal(db.project, id, db.soon()));
  REQUIRE(value.has_value());
  return std::string(value->reveal());
}

}  // namespace

TEST_CASE("a variable is created, listed, changed and deleted, each with its audit row and no value in it") {
  shop db;
  store::variable_store variables(db.pool, db.master);
  auto const plain = make(db, variables, "PLAIN", "PLAINVALUE", false);
  auto const secret = make(db, variables, "SECRET", "SECRETVALUE", true);
  CHECK(plain.value == "PLAINVALUE");
  CHECK_FALSE(secret.value);
  CHECK(revealed(db, variables, secret.id) == "SECRETVALUE");
  auto const page = db.wait(variables.list(db.project, {.number = 1, .limit = 2}, db.soon()));
  REQUIRE(page.rows.size() == 2);
  CHECK(page.total == 2);
  CHECK_FALSE(page.rows[0].value);
  CHECK(page.rows[1].value == "PLAINVALUE");

  store::variable_settings const again{.key = "PLAIN", .value = secret_string("x")};
  CHECK(failure(db.wait(variables.create(db.as_ed(), again, db.soon()))) == errc::name_taken);
  CHECK(db.wait(variables.create(db.elsewhere(), again, db.soon())).has_value());
  auto const update = [&](store::editor editor, uuid id, store::variable_edit edit) {
    return db.wait(variables.update(std::move(editor), id, std::move(edit), db.soon()));
  };
  CHECK(failure(update(db.as_ed({{2}}), plain.id, edited("y", false))) == errc::precondition_failed);
  CHECK(failure(update(db.elsewhere(), plain.id, edited("y", false))) == errc::not_found);
  auto const hidden = update(db.as_ed({{1}}), plain.id, edited(std::nullopt, true));
  REQUIRE(hidden.has_value());
  CHECK_FALSE(hidden->value);
  CHECK(revealed(db, variables, plain.id) == "PLAINVALUE");
  CHECK(update(db.as_ed(), plain.id, edited("SHOWNVALUE", false))->value == "SHOWNVALUE");

  CHECK(failure(db.wait(variables.get(db.other_project, secret.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(variables.reveal(db.other_project, secret.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(variables.remove(db.elsewhere(), secret.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(variables.remove(db.as_ed({{5}}), secret.id, db.soon()))) == errc::precondition_failed);
  for (auto const* table : {"variables", "project_keys", "audit_log"}) {
    CAPTURE(table);
    std::string const sql = std::string("SELECT string_agg(t::text, ' ') FROM ") + table + " t";
    std::string const dump(db.must({{table, sql}}).front().text(0));
    CHECK(dump.find("VALUE") == std::string::npos);
    CHECK(dump.find(to_hex(as_bytes("VALUE"))) == std::string::npos);
  }
  CHECK_FALSE(failure(db.wait(variables.remove(db.as_ed(), secret.id, db.soon()))));
  CHECK(failure(db.wait(variables.remove(db.as_ed(), secret.id, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("variable.created") == 3);
  CHECK(db.audit_rows("variable.updated") == 2);
  CHECK(db.audit_rows("variable.deleted") == 1);
}

TEST_CASE("flipped bits, swapped rows and moved keys of variables are refused") {
  shop db;
  store::variable_store variables(db.pool, db.master);
  auto const variable = make(db, variables, "ONE", "first", false);
  auto const two = make(db, variables, "TWO", "second", true);
  store::variable_settings const abroad{.key = "ABROAD", .value = secret_string("third")};
  auto const other = db.wait(variables.create(db.elsewhere(), abroad, db.soon()));
  REQUIRE(other.has_value());
  std::string const kept = to_hex(
      db.must({{"sealed_of_one", "SELECT sealed FROM variables WHERE id = $1"}, postgres::parameters(variable.id)})
          .front()
          .bytes(0));
  auto const put = [&](std::string const& expression) {
    db.as_owner("UPDATE variables SET sealed = " + expression + " WHERE id = '" + variable.id.to_string() + "'");
  };
  auto const sealed_of = [](uuid id) { return "(SELECT sealed FROM variables WHERE id = '" + id.to_string() + "')"; };
  std::string const original = "decode('" + kept + "', 'hex')";
  std::string const flips = "set_bit(" + original + ", ";
  int const bits = static_cast<int>(kept.size()) * 4;
  for (std::string const& wrong :
       {flips + "0, 1 - get_bit(" + original + ", 0))",
        flips + std::to_string(bits / 2) + ", 1 - get_bit(" + original + ", " + std::to_string(bits / 2) + "))",
        flips + std::to_string(bits - 1) + ", 1 - get_bit(" + original + ", " + std::to_string(bits - 1) + "))",
        sealed_of(two.id), sealed_of(other->id), "substr(" + original + ", 2)", std::string("''::bytea")}) {
    CAPTURE(wrong);
    put(wrong);
    CHECK_THROWS_AS(db.wait(variables.get(db.project, variable.id, db.soon())), unavailable);
    CHECK_THROWS_AS(db.wait(variables.reveal(db.project, variable.id, db.soon())), unavailable);
    CHECK_THROWS_AS(db.wait(variables.list(db.project, {}, db.soon())), unavailable);
    CHECK(revealed(db, variables, two.id) == "second");
  }
  put(original);
  CHECK(revealed(db, variables, variable.id) == "first");
  // The other project's wrapped data key under this project's name.
  db.as_owner("UPDATE project_keys SET wrapped = (SELECT wrapped FROM project_keys WHERE project_id = '" +
              db.other_project.to_string() + "') WHERE project_id = '" + db.project.to_string() + "'");
  CHECK_THROWS_AS(db.wait(variables.get(db.project, variable.id, db.soon())), unavailable);
}
