#include "app/migrations/migrator.hpp"

#include "svc/core/backoff.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/random.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <utility>

namespace svc::embedded {
/// File name and content, made by CMake from schema/postgres.
extern std::span<std::pair<std::string_view, std::string_view> const> const migrations;
}  // namespace svc::embedded

namespace svc::app {
namespace {

std::string label(int version, std::string_view name) {
  auto digits = std::to_string(version);
  return "V" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + " " + std::string(name);
}

std::vector<migration> all_embedded() {
  std::vector<migration> out;
  for (auto const& [name, sql] : embedded::migrations) out.push_back(make_migration(name, sql));
  std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.version < b.version; });
  return out;
}

/// A text that a migration had in some builds, and that made the same schema.
struct equal_text {
  int version;
  std::string_view checksum;
};
// A comment of V041 named another type in builds of one day.
constexpr equal_text equal_texts[] = {{41, "765be6d59d297bd8568dcf45f106dfeb3d6239f4f9481e4f446b3feb8c1638e8"}};

bool is_same(migration const& mine, applied_migration const& there) {
  return mine.checksum == there.checksum || std::ranges::any_of(equal_texts, [&](equal_text const& text) {
           return text.version == there.version && text.checksum == there.checksum;
         });
}

// Any constant that nothing else in this database locks: "svcd" in ASCII. Never waited for: a statement that waits
// has a snapshot, for whose end CREATE INDEX CONCURRENTLY of the holder would wait.
constexpr std::string_view lock_sql = "SELECT WHERE pg_try_advisory_lock(1937138532)";
constexpr std::string_view unlock_sql = "SELECT pg_advisory_unlock(1937138532)";
constexpr std::string_view table_sql = R"(CREATE TABLE IF NOT EXISTS schema_migrations (
  version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()))";
constexpr std::string_view compatible_sql =
    "ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS compatible_from int";
// 0.1.0 made the table without the last column; without a value, a file is compatible from itself.
constexpr std::string_view applied_sql =
    "SELECT version, name, checksum, coalesce(to_jsonb(m) ->> 'compatible_from', version::text) "
    "FROM schema_migrations m ORDER BY version";
constexpr std::string_view record_sql =
    "INSERT INTO schema_migrations (version, name, checksum, compatible_from) VALUES ($1, $2, $3, $4)";
// The service reads the table at its start; the first migration creates the role.
constexpr std::string_view grant_sql = "GRANT SELECT ON schema_migrations TO svc_service";
constexpr std::string_view table_exists_sql = "SELECT to_regclass('schema_migrations') IS NOT NULL";
constexpr std::string_view insufficient_privilege = "42501", lock_not_available = "55P03",
                           deadlock_detected = "40P01";

// The owner of the schema's tables creates further ones.
constexpr std::string_view may_change_sql =
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AND coalesce((SELECT pg_has_role(relowner, 'USAGE') "
    "FROM pg_class WHERE oid = to_regclass('schema_migrations')), true)";

constexpr std::string_view owner_sentence =
    "failed: this login may not change the schema: set SVC_POSTGRES_MIGRATE_URL to the login of the tables' owner";
constexpr std::string_view pooler_sentence =
    "failed: the URL leads to a pooler such as PgBouncer, where the lock that keeps migrations apart would not last: "
    "set postgres.migrate_url to the server itself, with the login of the tables' owner";

constexpr milliseconds connect_timeout{5000};
constexpr milliseconds first_pause{100};
constexpr milliseconds longest_pause{5000};

void sleep_before_retry(backoff& pause) {
  std::this_thread::sleep_for(pause.next(random_fraction()));
}

/// PostgreSQL shows the place in its statement in further lines.
std::string first_line(std::string const& text) {
  return text.substr(0, text.find('\n'));
}

int to_int(std::optional<std::string> const& text) {
  return text ? parse_number<int>(*text).value_or(0) : 0;
}

database_session connect(secret_string const& url, milliseconds patience, speaker const& say) {
  auto const until = deadline::after(patience);
  backoff pause(first_pause, longest_pause);
  for (std::string said;;) {
    try {
      return database_session(url, connect_timeout);
    } catch (database_error const& e) {
      if (until.passed() && said != e.what()) throw;
      if (until.passed()) throw database_error("PostgreSQL was not reached in the time that --wait allows", "");
      if (said != e.what())
        say("waiting for PostgreSQL, for " + duration_text(patience.count()) + " at most (--wait): " + e.what());
      said = e.what();
    }
    sleep_before_retry(pause);
  }
}

void take_lock(database_session& database, speaker const& say) {
  backoff pause(first_pause, longest_pause);
  for (bool said = false; database.run(std::string(lock_sql)).empty(); said = true) {
    if (!said) say("waiting for another migration of this database");
    sleep_before_retry(pause);
  }
}

/// Retries a file that gave up waiting for a lock. A file keeps its `lock_timeout` short, because every statement
/// after a waiting ALTER TABLE waits with it.
void apply_patiently(database_session& database, migration const& migration, milliseconds patience,
                     speaker const& say) {
  auto const until = deadline::after(patience);
  backoff pause(first_pause, longest_pause);
  for (bool said = false;; said = true) {
    try {
      return apply_migration(database, migration, say);
    } catch (database_error const& e) {
      bool const locked = e.sqlstate() == lock_not_available || e.sqlstate() == deadlock_detected;
      if (!locked || until.passed()) throw;
      if (!said) say(label(migration.version, migration.name) + " waits for a lock: " + e.what());
      database.run("ROLLBACK");
    }
    sleep_before_retry(pause);
  }
}

/// "the schema is newer than this svcd, which works with it: V039 more_tables, ..."
std::string newer_sentence(migration_plan const& plan) {
  return "the schema is newer than this svcd, which works with it: " + joined(plan.newer, ", ");
}

/// The last line of a migration: the number of applied files and the schema's version.
std::string summary(std::size_t count, bool dry_run, double seconds) {
  auto const& last = embedded_migrations().back();
  auto const goal = label(last.version, last.name);
  auto const number = std::to_string(count) + (count == 1 ? " migration" : " migrations");
  if (count == 0) return "the schema is up to date at " + goal + ": nothing to apply";
  if (dry_run) return number + " would be applied, up to " + goal + "; nothing was changed";
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s", seconds);
  return "the schema is up to date at " + goal + ": " + number + " applied in " + time;
}

int apply_pending(database_session& database, bool dry_run, milliseconds patience, speaker const& say) {
  auto const began = steady::now();
  auto const plan = read_plan(database);
  for (auto const& problem : plan.problems) say("refused: " + problem);
  if (!plan.problems.empty()) return 1;
  if (!plan.newer.empty()) say(newer_sentence(plan));
  if (dry_run && !plan.pending.empty() && database.run(std::string(may_change_sql)).at(0).at(0) != "t") {
    say(std::string(owner_sentence));
    return 1;
  }
  for (auto const* migration : plan.pending) {
    if (!dry_run) apply_patiently(database, *migration, patience, say);
    say((dry_run ? "would apply " : "applied ") + std::to_string(migration->version) + " " + migration->name);
  }
  if (plan.newer.empty())
    say(summary(plan.pending.size(), dry_run, std::chrono::duration<double>(steady::now() - began).count()));
  return 0;
}

/// Behind a pooler the number of sessions is the pooler's.
void warn_of_connections(database_session& database, configuration const& config, speaker const& say) {
  if (database.pooled()) return;
  auto const limit =
      to_int(database.run("SELECT setting FROM pg_settings WHERE name = 'max_connections'").at(0).at(0));
  // One more of each instance watches the server.
  auto const wanted = static_cast<std::int64_t>(config.instances) *
                      (config.worker_count() * config.postgres.pool_per_worker +
                       config.checks.workers * pool_of_checks + pool_of_packing + pool_of_delivery + 1);
  if (wanted > limit)
    say("warning: instances x (workers x postgres.pool_per_worker + 2 x checks.workers + 7) is " +
        std::to_string(wanted) + " connections, but PostgreSQL accepts " + std::to_string(limit));
}

/// Empty when the program works with the schema.
std::string what_is_missing(migration_plan const& plan) {
  if (!plan.problems.empty()) return "waiting, because the schema does not fit this svcd: " + plan.problems.front();
  if (plan.pending.empty()) return {};
  return "waiting for `svcd migrate`: " + missing_migrations(plan);
}

}  // namespace

migration make_migration(std::string_view file_name, std::string_view sql) {
  auto const split = file_name.find("__");
  int version = 0;
  bool good = file_name.starts_with('V') && file_name.ends_with(".sql") && split != std::string_view::npos;
  if (good) {
    version = parse_number<int>(file_name.substr(1, split - 1)).value_or(0);
    good = version > 0 && file_name.size() > split + 2 + 4;
  }
  if (!good) throw std::logic_error("migration " + std::string(file_name) + ": not V<digits>__<name>.sql");
  auto const name = file_name.substr(split + 2, file_name.size() - split - 2 - 4);
  return {version, std::string(name), sql, to_hex(sha256(sql)), compatible_from(sql).value_or(version)};
}

std::vector<migration> const& embedded_migrations() {
  static std::vector<migration> const all = all_embedded();
  return all;
}

migration_plan plan_migrations(std::span<migration const> ours, std::span<applied_migration const> applied) {
  migration_plan plan;
  int newest = 0;
  int const last = ours.empty() ? 0 : ours.back().version;
  for (auto const& there : applied) {
    newest = std::max(newest, there.version);
    auto const mine =
        std::find_if(ours.begin(), ours.end(), [&](migration const& m) { return m.version == there.version; });
    auto const name = label(there.version, there.name);
    if (mine == ours.end() && there.version > last && there.compatible_from <= last)
      plan.newer.push_back(name);
    else if (mine == ours.end())
      plan.problems.push_back(name +
                              " was applied, and svcd must know it to work with it: the database is newer than "
                              "this program. Start a newer svcd, or restore a backup made before");
    else if (!is_same(*mine, there))
      plan.problems.push_back(label(mine->version, mine->name) + " has changed since it was applied");
  }
  for (auto const& mine : ours) {
    bool const done = std::any_of(applied.begin(), applied.end(),
                                  [&](applied_migration const& a) { return a.version == mine.version; });
    if (done) continue;
    if (mine.version < newest)
      plan.problems.push_back(label(mine.version, mine.name) + " was never applied, but a later one was");
    else
      plan.pending.push_back(&mine);
  }
  return plan;
}

std::string missing_migrations(migration_plan const& plan) {
  auto const count = plan.pending.size();
  return std::to_string(count) + (count == 1 ? " migration is missing" : " migrations are missing");
}

std::string with_remedy_of_login(database_error const& problem) {
  std::string const words = problem.what();
  // The service's own connections put the state into their words.
  bool const lacks_right = problem.sqlstate() == insufficient_privilege ||
                           words.find(std::string(insufficient_privilege) + " permission denied") != words.npos;
  if (!lacks_right) return words;
  return "the login of postgres.url lacks the rights of the service: GRANT svc_service TO it (PostgreSQL: " + words +
         ")";
}

migration_plan read_plan(database_session& database) {
  std::vector<applied_migration> applied;
  // An instance that waits asks again and again: each question without the table would be an error in the server's
  // log.
  if (database.run(std::string(table_exists_sql)).at(0).at(0) == "t")
    for (auto const& row : database.run(std::string(applied_sql)))
      applied.push_back({to_int(row.at(0)), row.at(1).value_or(""), row.at(2).value_or(""), to_int(row.at(3))});
  return plan_migrations(embedded_migrations(), applied);
}

void prepare_record(database_session& database) {
  database.run(std::string(table_sql));
  database.run(std::string(compatible_sql));
}

void apply_migration(database_session& database, migration const& migration, speaker const& say) {
  bool const outside = runs_outside_transaction(migration.sql);
  if (outside) execute_steps(database, migration_steps(migration.sql), label(migration.version, migration.name), say);
  database.run("BEGIN");
  if (!outside) database.run(std::string(migration.sql));
  database.run(std::string(record_sql), {std::to_string(migration.version), migration.name, migration.checksum,
                                         std::to_string(migration.compatible_from)});
  database.run(std::string(grant_sql));
  database.run("COMMIT");
}

int migrate(secret_string const& url, bool dry_run, milliseconds patience, speaker const& say) {
  try {
    auto database = connect(url, patience, say);
    if (database.pooled()) {
      say(std::string(pooler_sentence));
      return 1;
    }
    if (dry_run) return apply_pending(database, dry_run, patience, say);
    take_lock(database, say);
    // The service's login may find out that nothing is to be done.
    if (!read_plan(database).pending.empty()) prepare_record(database);
    auto const code = apply_pending(database, dry_run, patience, say);
    database.run(std::string(unlock_sql));
    return code;
  } catch (database_error const& e) {
    if (e.sqlstate() == insufficient_privilege)
      say(std::string(owner_sentence) + " (PostgreSQL: " + first_line(e.what()) + ")");
    else
      say(std::string("failed: ") + e.what());
    return 1;
  }
}

void wait_for_schema(configuration const& config, speaker const& say, speaker const& wait) {
  backoff pause(first_pause, longest_pause);
  std::string said;
  for (;;) {
    std::string missing;
    try {
      database_session database(config.postgres.url, config.postgres.connect_timeout);
      auto const plan = read_plan(database);
      missing = what_is_missing(plan);
      if (missing.empty() && !plan.newer.empty()) say(newer_sentence(plan));
      if (missing.empty()) return warn_of_connections(database, config, say);
    } catch (database_error const& e) {
      missing = "waiting for PostgreSQL: " + with_remedy_of_login(e);
    }
    if (missing != said) wait(missing);
    said = missing;
    sleep_before_retry(pause);
  }
}

}  // namespace svc::app
