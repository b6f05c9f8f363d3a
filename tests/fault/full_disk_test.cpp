// PostgreSQL has no room left: for its tables, and for its log, which it does not survive.
#include "measure.hpp"
#include "small_filesystem.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr std::chrono::seconds short_of_room{3};
constexpr std::size_t room_for_tables = 96, room_for_log = 64;

/// True if there are such mounts; otherwise the test prints which part it skips.
bool can_mount() {
  static auto const why_not = enter_own_mounts();
  if (!why_not.empty()) MESSAGE("a full disk is not shown: " << why_not);
  return why_not.empty();
}

/// Writes until the server has gone: it cannot go on without its log.
void exhaust_log(rig& rig) {
  auto const gone = [&rig] {
    try {
      rig.sql("SELECT pg_logical_emit_message(true, 'ballast', repeat('x', 1000000)); SELECT pg_switch_wal()");
      return false;
    } catch (std::runtime_error const&) {
      return true;
    }
  };
  CHECK(comes_true(gone, std::chrono::seconds(20)));
}

TEST_CASE("full disk: without room for tables writes are 503, reads continue, nothing acknowledged is lost") {
  if (!can_mount()) return;
  rig target({.stores = single_stores});
  load_actors const as(target);
  small_filesystem const disk(target.postgres().primary(), "base", room_for_tables);
  target.await_normal();
  measure_all(target, as,
              {{"PostgreSQL without room for tables", [&](rig&) { disk.fill(); }, [&](rig&) { disk.clear(); }, {}}},
              is_long_form() ? usual_length : short_of_room);
  CHECK(target.postgres().primary().log().find("No space left on device") != std::string::npos);
}

TEST_CASE(
    "full disk: without room for its log PostgreSQL ends; nothing acknowledged is lost, and all is well after it") {
  if (!can_mount() || !is_long_form()) return;
  rig target({.stores = single_stores});
  load_actors const as(target);
  small_filesystem const disk(target.postgres().primary(), "pg_wal", room_for_log);
  target.await_normal();
  fault const full{"PostgreSQL without room for its log",
                   [&](rig& r) {
                     disk.fill();
                     exhaust_log(r);
                   },
                   [&](rig& r) {
                     disk.clear();
                     r.postgres().primary().start();
                   },
                   {}};
  measure_all(target, as, {full}, usual_length);
  CHECK(target.postgres().primary().log().find("PANIC") != std::string::npos);
}

}  // namespace
}  // namespace svc::test
