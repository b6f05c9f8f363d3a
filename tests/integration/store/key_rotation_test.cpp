#include "shop.hpp"

#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/sealing/key_rotation.hpp"

using namespace svc;
using namespace svc::test;

namespace {

sealer key(std::uint8_t fill) {
  return sealer(secret_bytes(32, fill));
}

/// Adds that many projects, each with a data key wrapped by `sealer`.
void add_projects(shop& db, int count, sealer const& sealer) {
  std::string sql;
  for (int i = 0; i < count; ++i) {
    uuid const project = uuid::generate_v7(), id = uuid::generate_v7();
    auto const made = sealer.make_data_key(project.to_string() + id.to_string());
    sql += "INSERT INTO projects (id, organization_id, slug, name) VALUES ('" + project.to_string() + "', '" +
           db.organization.to_string() + "', '" + project.to_string() + "', 'p');INSERT INTO project_keys VALUES ('" +
           project.to_string() + "', '" + id.to_string() + "', '" + sealer.id() + "', decode('" +
           to_hex(made.wrapped) + "', 'hex'));";
  }
  db.as_owner(sql);
}

}  // namespace

TEST_CASE("data keys change their master key batch by batch, and an interrupted rotation is resumed") {
  shop db;
  store::variable_store variables(db.pool, db.master);
  store::variable_settings const wanted{.key = "KEY", .value = secret_string("value")};
  auto const made = db.wait(variables.create(db.as_ed(), wanted, db.soon()));
  REQUIRE(made.has_value());
  auto const sealed = [&] {
    return to_hex(db.must({{"sealed_value", "SELECT sealed FROM variables"}}).front().bytes(0));
  };
  auto const before = sealed();
  add_projects(db, 119, db.master.current());

  master_keys both({key(9), db.master.current()});
  store::key_rotation ended(db.pool, both);
  CHECK(db.wait(ended.left(db.soon())) == 120);
  auto const first = db.wait(ended.next({}, db.soon()));
  CHECK(first.rewrapped == 50);
  CHECK_FALSE(first.last);
  store::variable_store halfway(db.pool, both);
  CHECK(db.wait(halfway.get(db.project, made->id, db.soon()))->value == "value");

  store::key_rotation rotation(db.pool, both);
  CHECK(db.wait(rotation.left(db.soon())) == 70);
  CHECK(db.wait(rotation.next({}, db.soon())).rewrapped == 50);
  auto const last = db.wait(rotation.next({}, db.soon()));
  CHECK(last.rewrapped == 20);
  CHECK(last.last);
  CHECK(db.wait(rotation.left(db.soon())) == 0);
  CHECK(db.audit_rows("project_key.rewrapped") == 120);

  master_keys only_new({key(9)});
  store::variable_store later(db.pool, only_new);
  CHECK(db.wait(later.get(db.project, made->id, db.soon()))->value == "value");
  CHECK_THROWS_AS(db.wait(variables.get(db.project, made->id, db.soon())), unavailable);
  // The data key is the same, and the values that it seals are unchanged.
  CHECK(sealed() == before);
}

TEST_CASE("a data key that no master key opens stays as it is and is named") {
  shop db;
  add_projects(db, 1, key(1));
  add_projects(db, 1, key(2));
  master_keys some({key(9), key(1)});
  store::key_rotation rotation(db.pool, some);
  auto const step = db.wait(rotation.next({}, db.soon()));
  CHECK(step.rewrapped == 1);
  CHECK(step.unreadable.size() == 1);
  CHECK(db.wait(rotation.left(db.soon())) == 1);
  // A key of the file wraps it, but the bytes are another project's.
  db.as_owner("UPDATE project_keys SET master_key_id = '" + key(1).id() + "' WHERE master_key_id = '" + key(2).id() +
              "'");
  store::key_rotation again(db.pool, some);
  CHECK(db.wait(again.next({}, db.soon())).unreadable.size() == 1);
}
