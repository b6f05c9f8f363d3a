#pragma once

#include "model/state.hpp"
#include "svc/access/decision.hpp"

#include <string>
#include <vector>

namespace svc::model {

/// The rules outside the decision, in the scripts, the changes and the workers. All hold; a mutation turns one off.
struct rules {
  access::decision_rules decision{};
  bool cached_never_creates = true;        ///< admit: a cached record does not create the epoch key
  bool fresh_may_be_stale = true;          ///< admit: a fresh record below what Redis holds is STALE
  bool admit_never_lowers = true;          ///< admit: forced leaves a higher epoch in place
  bool bump_never_lowers = true;           ///< raise: reordered raises do no harm
  bool put_keeps_newer = true;             ///< put: a late writer does not win
  bool negative_only_if_absent = true;     ///< a negative entry is written by NX
  bool announce_replaces_negative = true;  ///< announce: `?` replaces a negative entry
  bool marker_is_no_entry = true;          ///< a reader that finds `?` asks PostgreSQL
  bool one_snapshot = true;                ///< an auth read is one statement
  bool bump_follows_clock = true;          ///< an epoch number is never reused
  bool fan_out_later = true;               ///< subjects are collected in a later statement than the update
  bool creation_locks = true;              ///< a creation locks the rows it relies on
  bool bump_after_commit = true;           ///< Redis learns of committed epochs only
  bool answer_after_bump = true;
  bool bump_for_no_change = true;      ///< a repeated DELETE, a PATCH without effect
  bool answer_waits = true;            ///< an answer whose raise Redis does not confirm is held
  bool notice_follows_commit = true;   ///< a worker that read the outbox before the COMMIT has not seen its row
  bool late_commit_publishes = true;   ///< publishing has its own time limit
  bool relay_by_age = true;            ///< not by "id > last"
  bool relay_repeats = true;           ///< delivered rows too, while they are young
  bool relay_outlives_records = true;  ///< young means longer than the age of a record
  bool relay_marks_last = true;        ///< a marked row is one that Redis knows
  bool mend_relays = true;             ///< the breaker closes after a relay pass
  bool mend_drops = true;              ///< and with empty memory
  bool gap_ends_trust = true;          ///< a connection with a gap is closed
  bool new_connection_mends = true;    ///< no connection is trusted before that
  bool admission_asks_breaker = true;  ///< also for a request that arrived before the breaker opened
  bool ended_is_noticed = true;        ///< a transaction that PostgreSQL ended is not published
  bool postgres_ends_idle = true;      ///< a transaction that stands still keeps no locks
  bool joined_as_asked = true;         ///< a read counts as begun when it was requested
  bool recheck_writes = true;          ///< rule 8: a writing statement checks its writer's right
  bool recheck_asks_role = true;       ///< and the role of its owner
  bool recheck_looks_twice = true;     ///< a different epoch is not a reason to refuse by itself
  bool recheck_asks_secret = true;     ///< and whether a fresh sign-in has replaced the secret
  bool recheck_knows_writer = true;    ///< a deleted session may not write
  bool archive_bumps_all = true;       ///< everybody with a role in the project, not only owners of tokens
  bool policy_bumps_all = true;        ///< all members, not only the owner who sets the policy
  bool grant_locks = true;             ///< a new role waits for an archiving project or a changing policy
  bool password_ends_others = true;    ///< a new password ends all sessions but the one that set it
  bool password_bumps = true;
  bool sign_in_ends_oldest = true;          ///< a 51st session ends the oldest
  bool sign_in_ends_previous = true;        ///< a sign-in ends the browser's previous session
  bool sign_in_bumps_previous_user = true;  ///< which may be a session of another user
  bool refresh_replaces = true;             ///< a fresh sign-in ends the previous secret at once
  bool refresh_bumps = true;
  bool read_checks_idle = true;       ///< each read from PostgreSQL evaluates the idle time
  bool rotation_bumps = true;         ///< a rotation is a change like any other
  bool rotation_keeps_ends = true;    ///< rotating again never postpones an end that is set
  bool rotation_spares_used = true;   ///< the unused secret dies, not the one in use
  bool rotation_confirms = true;      ///< a client that requests it with the pending secret has used that secret
  bool confirm_before_answer = true;  ///< the first use of a pending secret is stored before its answer
  bool confirm_bumps = true;
  bool confirm_only_pending = true;  ///< a secret that died meanwhile stays dead
  bool everyone_bumps = true;        ///< also a request that was not the first to confirm
  bool first_use_ends = true;        ///< `first_use` ends the old secret
  /// Not a rule: whether `confirmed_use` is judged, or only the consequences of a use without proof.
  bool checks_confirmation = true;
};

struct asked {
  u8 worker, token;
  bool writes = false;
};

struct edited {
  edit kind;
  u8 worker, target;
};

/// A setting to explore.
struct world {
  std::string name;
  std::vector<asked> requests{};
  std::vector<edited> changes{};
  std::vector<event> events{};  ///< each may happen once for every time it is listed
  bool warm_redis = false;
  bool no_records = false;  ///< then Redis holds only epochs
  u8 warm_workers = 0;      ///< set of workers whose memory holds the tokens
  u8 lost_workers = 0;      ///< set of workers that start with an open breaker
  u8 tokens = 0b0001;       ///< set of those that exist
  u8 disabled = 0;          ///< set of the disabled ones
  u8 workers = 2;
  u8 idle_at = 0;          ///< the tick when session 0 has been idle for too long; 0: never
  bool only_long = false;  ///< too large for every run
};

/// The small worlds: each is one race, or one fault during one change.
std::vector<world> const& small_worlds();
world const& world_named(std::string_view name);

}  // namespace svc::model
