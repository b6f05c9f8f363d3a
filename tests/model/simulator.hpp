#pragma once

#include "model/records.hpp"
#include "model/world.hpp"

#include <string>
#include <vector>

namespace svc::model {

/// The next step of an actor; `owner` is its index, `settings` a variant (for commands: see `fate`).
struct step {
  enum class step_kind : u8 {
    arrive,
    act,
    reply,
    confirm,
    notify,
    notify_ends,
    write,  // a request
    snapshot,
    complete,
    fail,  // a flight
    prepare,
    lock,
    fan_out,
    commit,
    publish,
    bump,
    hold_ends,
    answer,
    time_out,  // a change
    late_bump,
    put,  // commands without a waiting caller
    relay,
    relay_bump,
    relay_mark,
    mend,
    lose_trust,
    heal,  // a worker
    flush,
    evict_epoch,
    evict_record,
    redis_replicate,
    redis_failover,
    postgres_replicate,
    postgres_failover,
    kill,
    tick,
    partition,
    stall,
    go_on,
    restart,
    freeze,
    wake  // the environment
  } kind;
  u8 owner = 0, settings = 0;
};

/// The fate of a command: done and answered; done, but the reply is lost; not done; done later, without a waiting
/// caller. For a COMMIT also: done after the end of the request's time.
enum class fate : u8 { done, unheard, lost, later, slow };

bool is_environment(step s);
std::string describe(step s, state const& before);

/// Counters of events, to prove that a run was not empty.
enum class counted : u8 {
  let_in,
  refused,
  unknown,
  unavailable,
  stale,
  joined,
  advanced,
  local,
  kept,
  no_change,
  answered,
  relayed,
  mended,
  refreshed,
  revalidated,
  rotated,
  confirmed,
  not_first,
  unconfirmed,
  written,
  write_refused,
  held,
  known_to_others,
  held_confirmation,
  late_commit,
  stalled,
  restarted,
  distrusted,
  ended_idle,
  count
};
struct tally {
  std::array<std::uint64_t, static_cast<std::size_t>(counted::count)> value;
  void add(counted count) { ++value[static_cast<std::size_t>(count)]; }
  void operator+=(tally const& other) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += other.value[i];
  }
};

/// Workers that run the real `access::decision` and `access::record_cache` against models of Redis, PostgreSQL and
/// the rest of the protocol, one atomic step at a time. Checks the invariants at each step. Not shared.
class simulator {
 public:
  simulator(world const& where, rules const& rules) : where_(where), rules_(rules) {}

  state initial() const;
  /// All possible next steps.
  void enabled(state const& s, std::vector<step>& out) const;
  /// Applies a step; returns the name of the broken invariant, or null.
  char const* apply(state& s, step next);
  /// Returns true if no actor waits for anything.
  static bool quiet(state const& s);
  tally const& tallied() const { return tally_; }

 private:
  // steps_of_*: adds the enabled steps
  void steps_of_requests(state const& s, std::vector<step>& out) const;
  void steps_of_confirmation(state const& s, u8 r, std::vector<step>& out) const;
  void steps_of_action(state const& s, u8 r, std::vector<step>& out) const;
  void steps_of_changes(state const& s, std::vector<step>& out) const;
  void steps_of_publishing(state const& s, u8 entry, std::vector<step>& out) const;
  void steps_of_workers(state const& s, std::vector<step>& out) const;
  void steps_of_environment(state const& s, std::vector<step>& out) const;
  void steps_of_redis(state const& s, std::vector<step>& out) const;
  bool may_prepare(state const& s, change const& c) const;

  void apply_to_request(state& s, step next);
  void apply_to_change(state& s, step next);
  void apply_to_read(state& s, step next);
  /// Applies a step to a worker. This includes commands without a waiting caller.
  void apply_to_worker(state& s, step next);

  // requests
  void arrive(state& s, u8 r);
  void act(state& s, u8 r, fate fate);
  void fetch(state& s, request& q, fate fate);
  void admit(state& s, request& q, fate fate);
  void advance(state& s, request& q, fate fate);
  void advance(state& s, u8 r);
  void start_read(state& s, u8 r);
  void conclude(state& s, u8 r, access::decision const& d);
  void check_record(state const& s, request const& q, access::decision_result const& verdict, record const& used);
  void keep(state& s, request const& q, record const& used);
  void note_rejoined(state& s, request const& q, access::decision_result const& verdict, record const& used);
  static void notify(request& q, input input);
  int launch(state& s, u8 worker, u8 token, bool background);
  void snapshot(state& s, flight& f);
  void complete(state& s, u8 f, bool failed);
  record auth_read(state const& s, u8 token) const;

  // after admission: confirmation of a rotated secret, a write
  void go_on(state& s, u8 r, request const& q, record const& used);
  void confirm(state& s, request& q, fate fate);
  void note_confirmation(state& s, request& q, fate fate);
  void write(state& s, request& q);
  void answer(state& s, request& q);

  // secrets of token 0
  bool may_rotate(state const& s) const;
  void choose_secrets(state const& s, change& c) const;
  void rotate(state& s, change const& c);
  bool confirm_secret(state& s, u8 token);
  void check_secrets(postgres const& before, postgres const& after);

  // scripts
  struct reply {
    access::decision::admission_outcome verdict;
    u8 epoch;
  };
  reply run_admit(state& s, u8 subject, epoch_mode mode, u8 epoch);
  void run_bump(state& s, u8 subject, u8 epoch);
  void run_put(state& s, record const& r);
  void run_announce(state& s, u8 token);
  void set_epoch(state& s, u8 subject, u8 epoch);
  static void give_late(state& s, u8 subject, u8 epoch);

  // changes
  void prepare(state& s, u8 c);
  void fan_out(state& s, u8 c);
  void commit(state& s, u8 c);
  void publish(state& s, change& c);
  void bump(state& s, change& c, fate fate);
  void hold_ends(state& s, change& c);
  void answer(state& s, change& c);
  u8 bumped(state& s, u8 subject) const;
  bool bumps(edit kind) const;
  u8 touched_by_user(state const& s, change const& c) const;
  void unlock(state& s, u8 c) const;

  // sessions
  static u8 with_role(state const& s);
  static u8 ended_by(change const& c);
  static bool may_change_sessions(state const& s, change const& c, rules const& rules);
  void prepare_sessions(state& s, u8 c);
  u8 bumped_subjects(change const& c, u8 collected) const;
  void change_sessions(state& s, change& c) const;
  void check_session(state const& s, request const& q);

  // holding answers
  static u8 unconfirmed(change const& c);
  bool known_to_others(state const& s, u8 subjects) const;
  bool nobody_trusts(u8 noticed) const;
  u8 distrusting(state const& s) const;
  static void notice(state& s, u8 w);
  static bool lost_again(state const& s, u8 subject, u8 epoch);

  // workers and environment
  static bool reaches(state const& s, u8 w) { return s.workers[w].reaches_redis != 0 && s.stalled == 0; }
  void begin_relay(state& s, u8 w, bool mending);
  void relay_bump(state& s, worker& w);
  void finish_relay(state& s, u8 w);
  void come_back(state& s, u8 w);
  void lose_trust(state& s, u8 w);
  static void redis_lost_data(state& s, u8 subjects, redis const& before);
  void redis_begins_again(state& s);
  void fail_over_postgres(state& s) const;
  void wake(change& c) const;
  void happen_to_redis(state& s, step next);
  void environment(state& s, step next);

  void broken(char const* invariant) {
    if (broken_ == nullptr) broken_ = invariant;
  }

  world const& where_;
  rules rules_;
  records records_;
  tally tally_{};
  char const* broken_ = nullptr;
};

struct outcome {
  std::uint64_t states = 0;
  char const* broken = nullptr;
  std::string trace{};  ///< of a broken invariant, readable
  tally counted{};
};

/// Explores every interleaving, depth first; does not enter a state twice.
outcome explore(world const& where, rules const& rules);

/// One long run with events and requests drawn from `seed`: the same seed gives the same run.
outcome wander(rules const& rules, std::uint64_t seed, int length);

// The invariants, by the names in the tables.
inline constexpr char const* only_committed = "Redis holds only committed epochs";
inline constexpr char const* confirmed_use = "accepted means confirmed, or read after arrival";
inline constexpr char const* dead_token = "no request succeeds with what an answered change ended";
inline constexpr char const* back_in_time = "what a failover took back is not used after what it left";
inline constexpr char const* answered_early = "no answer before Redis holds the epoch";
inline constexpr char const* confirmed_memory = "a worker keeps only what Redis has confirmed";
inline constexpr char const* bounded_work = "a request costs a bounded number of calls";
inline constexpr char const* bounded_age = "a record is used within its age";
inline constexpr char const* created_unknown = "a created token is known";
inline constexpr char const* record_back = "a stored record never becomes older";
inline constexpr char const* dead_write = "a token dead in PostgreSQL writes nothing";
inline constexpr char const* good_write = "a token that may write is not refused";
inline constexpr char const* lives_again = "no ended secret lives again, and no end is put off";
inline constexpr char const* used_ends = "a rotation does not end the secret in use";
inline constexpr char const* still_pending = "an answer to a new secret is its first use";
inline constexpr char const* old_goes_on = "first use ends the old secret";
inline constexpr char const* ended_session = "no instance admits a session whose end has been answered";
inline constexpr char const* idle_session = "an idle session ends within the age of a record";
inline constexpr char const* hangs = "everyone who waits is answered";

}  // namespace svc::model
