#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace svc::model {

using u8 = std::uint8_t;

inline constexpr u8 max_workers = 3, max_tokens = 6, max_subjects = 3, max_requests = 4, max_changes = 3;
inline constexpr u8 max_flights = 6, max_rows = 6, max_puts = 4, max_late = 2, max_inputs = 14;
/// Tokens 0 and 1 are the user's (subject 0), 2 and 3 are keys of the same user (subjects 1 and 2); 4 and 5 are
/// secrets made by rotations of token 0: the same token, another digest.
inline constexpr std::array<u8, max_tokens> subject_of{0, 0, 1, 2, 0, 0};
inline constexpr u8 first_fresh = 4;
inline constexpr u8 secrets_of_token_0 = 0b110001;
/// In worlds of sessions, 0 and 1 are sessions of user 0, and 4 is the secret that a fresh sign-in gives to session
/// 0. Sessions 2 and 3 belong to the users 1 and 2.
inline constexpr u8 refreshed_session = 4;
/// All secrets of a token.
inline constexpr u8 family_of(u8 token) {
  bool const rotated = ((secrets_of_token_0 >> token) & 1) != 0;
  return rotated ? secrets_of_token_0 : static_cast<u8>(1 << token);
}
/// Epochs and versions stay below this, so that a set of them fits into eight bytes.
inline constexpr u8 max_number = 64;

// One tick is a second of the database's clock, which is long compared with a request. The proportions are the
// service's: a record is valid for two ticks, and an outbox row is young for three.
inline constexpr std::int64_t tick_micros = 1'000'000;
inline constexpr std::int64_t record_age_micros = 2'200'000;
inline constexpr u8 record_age = 2, row_age = 3, grace = 2;

/// Everything below is bytes without padding, all zero when unused: states are copied, compared and hashed as bytes.
struct numbers {
  std::array<u8, max_number / 8> bits;
  bool has(u8 n) const { return ((bits[n / 8] >> (n % 8)) & 1) != 0; }
  void add(u8 n) { bits[n / 8] = static_cast<u8>(bits[n / 8] | (1 << (n % 8))); }
};

enum class stored : u8 { nothing, record, negative, marker };
enum class usability : u8 { usable, disabled, revoked, owner_disabled, rotated };

/// The content of a key `svc:tok`, or the result of an auth read. `version` counts changes of the truth; the service
/// has no such number, but the invariants require it.
struct record {
  stored stored;
  u8 token;
  usability state;
  u8 epoch, version, read_at;
  u8 marks;  ///< see `marked`
  u8 until;  ///< the tick when the secret ends; 0: never
};
enum marked : u8 { pending_secret = 1, viewer = 2 };

/// A secret of a token, like store::live_secret.
struct secret {
  u8 state, until, ends_previous;
};

struct held {
  record record;
  u8 unpublished;
  u8 old;  ///< has survived a loss of Redis
};

/// One outbox row; `id` 0 is a free place. The id is assigned at the insert, not at the COMMIT.
struct row {
  u8 id, created, delivered;
  std::array<u8, max_subjects> epochs;
};

struct postgres {
  std::array<u8, max_subjects> epoch, user_off;
  std::array<u8, max_subjects> demoted;  ///< may read, but no longer write
  std::array<secret, max_tokens> secrets;
  std::array<u8, max_tokens> exists, version;
  std::array<usability, max_tokens> state;
  std::array<row, max_rows> rows;
  u8 refused;  ///< set of sessions that an archived project or a policy refuses
};

struct redis {
  std::array<u8, max_subjects> epoch;
  std::array<record, max_tokens> records;
};

/// A pass of the relay. `versions` is the truth that it read, which holds once the pass is over.
struct pass {
  u8 phase;  ///< 0 none, 1 raising, 2 marking
  u8 mending, valid, rows;
  std::array<u8, max_subjects> due;
  std::array<u8, max_tokens> versions;
};

struct worker {
  u8 reaches_redis, breaker_open, last_row;
  u8 ended;  ///< its connection has ended; the next one then shows the content of Redis
  std::array<held, max_tokens> memory;
  pass relay;
};

enum class air : u8 { free, sent, read };

/// Masks are sets of requests.
struct flight {
  air phase;
  u8 worker, token, latest, background, waiters, sent_after, read_after;
  record result;
};

enum class heard : u8 { start, fetch, read, admit, advance, local };

/// The inputs of a request's decision, in order; the real decision is replayed from them.
struct input {
  heard heard;
  u8 outcome, epoch, flag;
  record record;
};

enum class going : u8 { waiting, act, reply, reading, confirming, telling, writing, done };

struct request {
  going phase;
  u8 worker, token;
  u8 step, about, mode, epoch;                       ///< the pending action
  u8 floor, created, after_rejoin, clean, ended;     ///< the answered state at its arrival
  u8 reads, joined_unknown, advances, admits, asks;  ///< the costs of the request
  u8 publish, in_memory;
  u8 writes;         ///< writes something once it is admitted
  u8 with_pending;   ///< admitted with a secret from a rotation, which the request must confirm
  u8 known_version;  ///< the version that its answer reveals by a confirmation; 0 if no client learnt of it
  u8 notifies;       ///< the epoch that Redis must hold before the answer
  u8 noticed;        ///< the same as for a change
  u8 read_after;     ///< the record's snapshot is younger than the arrival
  u8 equal, held;    ///< the last admission: true if Redis held the record's epoch before; the epoch that it held
                     ///< afterwards
  u8 reply, reply_epoch;
  u8 inputs;
  std::array<input, max_inputs> history;
};

enum class edit : u8 {
  revoke,
  disable,
  enable,
  role,
  ban,
  create,
  rotate,
  rotate_first_use,
  rotate_at_once,
  archive,
  set_policy,
  grant,
  set_password,
  sign_in,
  refresh,
  sweep
};
enum class doing : u8 { idle, started, locked, prepared, committed, raising, answering, done };

struct change {
  doing phase;
  edit kind;
  u8 worker, target;                      ///< a token; for role and ban the user's subject
  std::array<u8, max_subjects> reported;  ///< epochs that its answer relies on
  u8 bumped;                              ///< set of subjects that Redis has confirmed
  u8 excused;                             ///< set of subjects whose epoch Redis took and lost again
  u8 noticed;  ///< set of workers that from now on trust Redis only after reading the outbox
  u8 held;     ///< answered without Redis, or Redis restarted meanwhile
  u8 late;     ///< COMMIT took all of the request's time
  u8 frozen;   ///< 1: its instance stands still; 2: and PostgreSQL has ended the transaction
  u8 touched, version, row;
  u8 fresh;      ///< a rotation's new secret
  u8 presented;  ///< the pending secret that asked for the rotation, + 1
};

struct late_bump {
  u8 subject, epoch;
};

enum class event : u8 {
  lose,
  late,
  flush,
  evict_epoch,
  evict_record,
  redis_replicate,
  redis_failover,
  postgres_replicate,
  postgres_failover,
  postgres_fails,
  kill,
  tick,
  partition,
  stall,
  restart,
  freeze,
  slow_commit,
  relay,
  count
};

struct state {
  u8 now, clock, versions, sequence, timeline;
  u8 stalled;                               ///< Redis does not respond
  std::array<u8, max_subjects> lost_epoch;  ///< the highest that Redis took and lost while connections stayed open
  postgres truth, standby;
  redis cache, replica;
  std::array<u8, max_tokens> token_lock;
  std::array<u8, max_subjects> user_lock, user_share, subject_lock;
  std::array<worker, max_workers> workers;
  std::array<flight, max_flights> flights;
  std::array<request, max_requests> requests;
  std::array<change, max_changes> changes;
  std::array<record, max_puts> puts;
  std::array<late_bump, max_late> bumps;
  std::array<u8, static_cast<std::size_t>(event::count)> budget;
  std::array<numbers, max_subjects> committed;          ///< epochs that were ever committed
  std::array<numbers, max_tokens> lost;                 ///< versions that a PostgreSQL failover took back
  std::array<u8, max_tokens> floor, created, rejoined;  ///< bounds for every later request
  u8 ended;                                             ///< set of sessions whose end has been answered
};
static_assert(std::has_unique_object_representations_v<state> && std::is_trivially_copyable_v<state>);

}  // namespace svc::model
