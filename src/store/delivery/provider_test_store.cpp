#include "svc/store/delivery/provider_test_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <utility>
#include <vector>

namespace svc::store {
namespace {

constexpr postgres::statement read_project_names{"provider_test_project",
                                                 "SELECT slug, name FROM projects WHERE id = $1"};

// $2 is the turn's length in ms, $3 the longest wait for it in ms. While a message is being sent, `due_at` is the end
// of its lease, and its own end decides when the next message starts.
constexpr postgres::statement take_test_turn{"provider_test_turn", R"(
INSERT INTO provider_queue AS q (provider_id, next_start)
SELECT p.id, clock_timestamp() + $2::bigint * interval '1 ms' FROM notification_providers p WHERE p.id = $1
ON CONFLICT (provider_id) DO UPDATE
   SET next_start = greatest(q.next_start, clock_timestamp()) + $2::bigint * interval '1 ms',
       due_at = CASE WHEN q.due_at > clock_timestamp()
                     THEN greatest(q.due_at, q.next_start + $2::bigint * interval '1 ms',
                                   clock_timestamp() + $2::bigint * interval '1 ms')
                     ELSE q.due_at END
 WHERE q.next_start <= clock_timestamp() + $3::bigint * interval '1 ms'
RETURNING ceil(extract(epoch FROM q.next_start - clock_timestamp()) * 1000)::bigint - $2::bigint)"};

// A pause that the provider asked for also applies to its messages.
constexpr postgres::statement keep_test_pause{"provider_test_pause", R"(
UPDATE provider_queue q
   SET next_start = greatest(q.next_start, clock_timestamp() + $2::bigint * interval '1 ms'),
       due_at = CASE WHEN q.due_at IS NOT NULL
                     THEN greatest(q.due_at, clock_timestamp() + $2::bigint * interval '1 ms') END
 WHERE q.provider_id = $1)"};

// $3 accepted, $4 reason, $5 status.
constexpr postgres::statement note_test{"provider_test_note", R"(
UPDATE notification_providers p
   SET last_used_at = CASE WHEN $3 THEN clock_timestamp() ELSE p.last_used_at END,
       health = CASE WHEN $3 THEN 'ok' ELSE 'failing' END,
       last_error_at = CASE WHEN $3 THEN p.last_error_at ELSE clock_timestamp() END,
       last_error_reason = CASE WHEN $3 THEN p.last_error_reason ELSE $4 END,
       last_error_status = CASE WHEN $3 THEN p.last_error_status ELSE $5::bigint END
 WHERE p.id = $1 AND p.version = $2)"};

audit_entry entry_of_test(editor const& editor, provider_test const& test) {
  boost::json::object const details{{"name", test.name}, {"type", test.type}, {"reason", test.reason}};
  auto out =
      editor.entry("notification_provider.tested", "notification_provider", {}, boost::json::serialize(details));
  out.resource_id = test.provider ? std::optional(test.provider->id) : std::nullopt;
  return out;
}

}  // namespace

task<provider_test_store::project_names> provider_test_store::names_of(uuid project, deadline until) {
  postgres::query ask{read_project_names, postgres::parameters(project)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return project_names{};
  co_return project_names{std::string(found.front().text(0)), std::string(found.front().text(1))};
}

task<std::optional<milliseconds>> provider_test_store::take_turn(uuid provider, milliseconds pace, deadline until) {
  postgres::query ask{take_test_turn, postgres::parameters(provider, pace.count(), longest_wait.count())};
  postgres::rows const taken = settled(co_await db_.run(std::move(ask), until));
  if (taken.empty()) co_return std::nullopt;
  co_return std::max(milliseconds(taken.front().integer(0)), milliseconds(0));
}

/// Locks the queue first, like the end of an attempt, because another order could deadlock.
task<> provider_test_store::record(editor editor, provider_test test, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> all;
  bool const says = test.provider && test.sent;
  if (says && test.not_before > milliseconds(0))
    all.push_back({keep_test_pause, postgres::parameters(test.provider->id, test.not_before.count())});
  if (says)
    all.push_back({note_test, postgres::parameters(test.provider->id, test.provider->version, test.taken, test.reason,
                                                   test.status)});
  all.push_back(audit_query(entry_of_test(editor, test)));
  settled(co_await work.commit(std::move(all)));
}

}  // namespace svc::store
