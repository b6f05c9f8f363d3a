#include "model/simulator.hpp"
#include "model/world.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace svc::model;
using svc::access::decision_rules;

namespace {

/// One rule is off; in the given world the model must find it, and name the right invariant.
struct mutation {
  char const* name;
  char const* world;
  char const* expected;
  bool rules::* rule = nullptr;
  bool decision_rules::* decision = nullptr;
  bool checks_confirmation = true;  ///< false: judge only the consequences of a use without proof

  rules without() const {
    rules out;
    if (rule != nullptr) out.*rule = false;
    if (decision != nullptr) out.decision.*decision = false;
    out.checks_confirmation = checks_confirmation;
    return out;
  }
};

using d = decision_rules;

constexpr mutation mutations[] = {
    {"a STALE reply is ignored", "revoke, warm", confirmed_use, nullptr, &d::read_again_when_stale},
    {"a read sent before the arrival raises", "first uses joined", confirmed_use, nullptr,
     &d::fresh_only_after_arrival},
    {"a database that went back is believed", "PostgreSQL fails over", back_in_time, nullptr,
     &d::advance_past_database},
    {"kept without equal epoch", "enable", confirmed_memory, nullptr, &d::keep_only_confirmed},
    {"a cached record is good when Redis is silent", "lost raise", confirmed_use, nullptr,
     &d::read_when_redis_is_lost},
    {"a joined read knows no token", "creation", created_unknown, nullptr, &d::revalidate_old_absence},
    {"a cached record creates the epoch", "flush", confirmed_use, &rules::cached_never_creates},
    {"a fresh record is never stale", "PostgreSQL fails over, record evicted", back_in_time,
     &rules::fresh_may_be_stale},
    {"forced lowers", "reordered raises", answered_early, &rules::admit_never_lowers},
    {"a raise lowers", "reordered raises", answered_early, &rules::bump_never_lowers},
    {"a late put wins", "late writer", record_back, &rules::put_keeps_newer},
    {"a negative entry overwrites", "creation", created_unknown, &rules::negative_only_if_absent},
    {"a creation leaves the negative entry", "creation", created_unknown, &rules::announce_replaces_negative},
    {"`?` means no token", "creation", created_unknown, &rules::marker_is_no_entry},
    {"an auth read of two statements", "revoke, cold", dead_token, &rules::one_snapshot},
    {"an epoch is counted on", "PostgreSQL fails over, then a change", dead_token, &rules::bump_follows_clock},
    {"fan-out in the update's statement", "fan-out against creation", dead_token, &rules::fan_out_later},
    {"a creation takes no locks", "fan-out against creation", dead_token, &rules::creation_locks},
    {"raised before COMMIT", "revoke, warm", only_committed, &rules::bump_after_commit},
    {"answered before the raise", "revoke, warm", answered_early, &rules::answer_after_bump},
    {"no raise on a repeated DELETE", "repeated DELETE", answered_early, &rules::bump_for_no_change},
    {"no raise on a PATCH without effect", "PATCH without effect", answered_early, &rules::bump_for_no_change},
    {"the relay follows ids", "relay and late COMMIT", dead_token, &rules::relay_by_age},
    {"the relay forgets what was delivered", "Redis fails over late", dead_token, &rules::relay_repeats},
    {"rows age before records", "Redis fails over late", dead_token, &rules::relay_outlives_records},
    {"a row is marked before Redis knows", "partition", dead_token, &rules::relay_marks_last},
    {"the breaker closes without a relay pass", "partition", dead_token, &rules::mend_relays},
    {"nothing is forgotten when Redis returns", "partition", confirmed_memory, &rules::mend_drops},
    {"memory is believed when Redis is known to be lost", "without Redis", confirmed_use, nullptr,
     &d::read_when_redis_is_lost},
    {"an answer does not wait for its raise", "partition", dead_token, &rules::answer_waits},
    {"an answer about a first use does not wait", "first use while Redis stands still", dead_token,
     &rules::answer_waits},
    {"a connection with a gap is trusted", "Redis stands still", dead_token, &rules::gap_ends_trust},
    {"a new connection is trusted without a relay pass", "Redis begins again", dead_token,
     &rules::new_connection_mends},
    {"a mend that began before the COMMIT has seen it", "mend beside a COMMIT", dead_token,
     &rules::notice_follows_commit},
    {"an admission goes to a Redis that is not trusted yet", "Redis begins again under a read", dead_token,
     &rules::admission_asks_breaker},
    {"a late COMMIT leaves no time to publish", "a COMMIT that takes all of the time", answered_early,
     &rules::late_commit_publishes},
    {"what PostgreSQL ended is published", "an instance stands still in a transaction", only_committed,
     &rules::ended_is_noticed},
    {"a transaction that stands still keeps its locks", "an instance stands still in a transaction", hangs,
     &rules::postgres_ends_idle},
    {"a read counts as begun with the statement it shares", "without Redis", confirmed_use, &rules::joined_as_asked},
    {"memory that is believed without Redis revives", "without Redis", dead_token, nullptr,
     &d::read_when_redis_is_lost, false},
    {"a record that Redis called stale revives", "revoke, warm", dead_token, nullptr, &d::read_again_when_stale,
     false},
    {"a write is not checked again", "writes and a revocation", dead_write, &rules::recheck_writes},
    {"the second check forgets the role", "writes and a role change", dead_write, &rules::recheck_asks_role},
    {"another epoch alone refuses a write", "writes and a rotation", good_write, &rules::recheck_looks_twice},
    {"a rotation moves no epoch", "rotated at once", dead_token, &rules::rotation_bumps},
    {"a second rotation puts off the end", "rotated twice", lives_again, &rules::rotation_keeps_ends},
    {"a rotation ends the secret in use", "rotated twice", used_ends, &rules::rotation_spares_used},
    {"a rotation asked for with a new secret ends it", "rotated twice", used_ends, &rules::rotation_confirms},
    {"a first use is answered unconfirmed", "first use ends", still_pending, &rules::confirm_before_answer},
    {"a confirmation moves no epoch", "first use ends", dead_token, &rules::confirm_bumps},
    {"first use leaves the old secret", "first use ends", old_goes_on, &rules::first_use_ends},
    {"a dead secret is confirmed", "rotated twice", lives_again, &rules::confirm_only_pending},
    {"only the first to confirm raises", "two first uses of a new secret", answered_early, &rules::everyone_bumps},
    {"an archived project bumps only owners of tokens", "sessions: an archived project", dead_write,
     &rules::archive_bumps_all},
    {"a policy bumps only the owner who sets it", "sessions: a policy", dead_token, &rules::policy_bumps_all},
    {"a role does not wait for an archiving project", "sessions: a role while the project is archived", dead_token,
     &rules::grant_locks},
    {"a role does not wait for a changing policy", "sessions: a role while the policy changes", dead_token,
     &rules::grant_locks},
    {"a new password leaves the other sessions", "sessions: a new password", ended_session,
     &rules::password_ends_others},
    {"a new password moves no epoch", "sessions: a new password", dead_write, &rules::password_bumps},
    {"a sign-in leaves the oldest session", "sessions: a sign-in", ended_session, &rules::sign_in_ends_oldest},
    {"a sign-in leaves the browser's session", "sessions: a sign-in", ended_session, &rules::sign_in_ends_previous},
    {"a sign-in bumps only its own user", "sessions: a sign-in", dead_token, &rules::sign_in_bumps_previous_user},
    {"a fresh sign-in leaves the previous secret", "sessions: a fresh sign-in", ended_session,
     &rules::refresh_replaces},
    {"a fresh sign-in moves no epoch", "sessions: a fresh sign-in", dead_token, &rules::refresh_bumps},
    {"the second check forgets the secret", "sessions: a fresh sign-in", dead_write, &rules::recheck_asks_secret},
    {"the second check permits an unknown writer", "sessions: ended and deleted", dead_write,
     &rules::recheck_knows_writer},
    {"a read does not evaluate idle time", "sessions: idle", idle_session, &rules::read_checks_idle},
};

}  // namespace

TEST_CASE("each rule is needed: without it the model finds the broken invariant") {
  int caught = 0;
  for (mutation const& m : mutations) {
    INFO(std::string(m.name));
    outcome const found = explore(world_named(m.world), m.without());
    INFO(found.trace);
    CHECK(found.broken != nullptr);
    if (found.broken == nullptr) continue;
    CHECK(std::string_view(found.broken) == m.expected);
    ++caught;
  }
  MESSAGE(caught << " of " << std::size(mutations) << " mutations caught");
}
