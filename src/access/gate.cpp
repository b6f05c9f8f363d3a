#include "svc/access/gate.hpp"

#include "access/record_lookup.hpp"
#include "svc/domain/principal.hpp"
#include "svc/http/headers.hpp"
#include "svc/store/tokens/outbox_store.hpp"

namespace svc::access {
namespace {

constexpr std::array<char const*, 4> verdict_names{"ok", "denied", "stale", "lost"};

/// Bounds of the histogram, in seconds. In the range of most admissions, on a quiet machine and on one under load,
/// each bound is a third to a half above the previous one.
std::vector<double> admission_bounds() {
  return {0.0001, 0.00015, 0.0002, 0.0003, 0.0004, 0.0006, 0.0008, 0.0011, 0.0015, 0.002, 0.003,
          0.004,  0.006,   0.008,  0.011,  0.015,  0.02,   0.03,   0.05,   0.1,    0.25,  1};
}

microseconds microseconds_since(steady::time_point start) {
  return std::chrono::duration_cast<microseconds>(steady::now() - start);
}

static_assert(outcome_of(admission_verdict::denied) == decision::admission_outcome::denied);
static_assert(outcome_of(admission_verdict::stale) == decision::admission_outcome::stale);
static_assert(outcome_of(admission_verdict::lost) == decision::admission_outcome::lost);

/// Returns a key that contains the limit, so that an edited limit takes effect at once.
std::string denial_key(std::string const& subject, class_window const& window) {
  return subject + ':' + std::string(to_string(window.which)) + ':' + std::to_string(window.window.seconds) + ':' +
         std::to_string(window.window.limit);
}

/// Returns the error for a token that is not readable. The usual mistake with a runner is the address of the public
/// listener.
error unreadable_token(std::string_view token) {
  if (!token.starts_with(runner_prefix)) return errc::invalid_token;
  return {
      errc::invalid_token,
      "This is the public API, and the token is a runner's: give the runner the address of a listener with kind = "
      "\"internal\"."};
}

error unknown_heartbeat() {
  return {errc::not_found,
          "There is no heartbeat at this address; check that it was copied whole, or rotated since."};
}

std::string heartbeat_subject(sha256_digest const& key) {
  return "beat:" + to_hex(byte_view(key).first(16));
}

}  // namespace

struct gate::attempt final : decision::refusal_policy {
  attempt(gate_parts const& parts, presented_token t, std::optional<presented_session> session,
          http::request const& h, http::route const& r)
      : token(t),
        record_key(session ? session_record_key(*session) : t.digest),
        head(h),
        route(r),
        clock(parts.authenticator.clock()),
        steps(*this, parts.fallback.redis().is_open()),
        lookup(parts.authenticator, parts.fallback, steps,
               {.digest = record_key, .arrived = h.arrived, .session = session}) {}

  std::optional<errc> refusal(token_record const& record) const override {
    return refusal_of(record, route, clock.now().value_or(record.read_at));
  }

  presented_token token;
  sha256_digest record_key;
  http::request const& head;
  http::route const& route;
  database_clock const& clock;
  decision steps;
  record_lookup lookup;
  gate_result out{};
};

gate::gate(gate_parts parts, metrics& counters)
    : parts_(parts), strangers_(rate_class::anonymous, parts.table.anonymous), strange_pings_(parts_.key_reads) {
  for (std::size_t c = 0; c < decisions_.size(); ++c) {
    for (std::size_t v = 0; v < verdict_names.size(); ++v) {
      decisions_[c][v] = counters.make_counter(
          "svc_admissions_total", "Decisions about windows, by class and verdict",
          {{"class", std::string(to_string(static_cast<rate_class>(c)))}, {"verdict", verdict_names[v]}});
    }
  }
  admission_time_ = counters.make_histogram(
      "svc_admission_seconds", "From asking Redis about a window until its answer is taken", {}, admission_bounds());
  cross_site_ = counters.make_counter("svc_cross_site_refused_total",
                                      "Requests refused because a page of another site caused them");
  advances_ = counters.make_counter("svc_epoch_lifts_total",
                                    "Subjects whose epoch was advanced because the database went back in time");
}

void gate::count(rate_class which, admission_verdict verdict, steady::time_point start) {
  admission_time_.observe(std::chrono::duration<double>(steady::now() - start).count());
  decisions_[static_cast<std::size_t>(which)][static_cast<std::size_t>(verdict)].add();
}

timestamp gate::now() const {
  return parts_.authenticator.clock().now().value_or(system_now());
}

window_limit gate::window_of(token_record const& record) const {
  if (record.caller.session) return parts_.table.session;
  if (!is_trigger_key(record.caller.kind)) return parts_.table.cli;
  return parts_.table.of_key(record.rate_limit, record.rate_window);
}

/// Returns the second window of an operation that calls external systems: class `probe` in addition to that of the
/// caller.
std::optional<class_window> gate::second_window(http::route const& route) const {
  if (route.found == nullptr || route.found->rate_class != to_string(rate_class::probe)) return std::nullopt;
  return class_window{rate_class::probe, parts_.table.probe};
}

std::optional<limit_decision> gate::known_denial(admission_request const& asked, steady::time_point time) {
  if (denials_.empty()) return std::nullopt;
  if (asked.also) {
    auto const& whose = asked.also_subject.empty() ? asked.subject : asked.also_subject;
    if (auto const second = denials_.find(denial_key(whose, *asked.also), time)) return second;
  }
  return denials_.find(denial_key(asked.subject, {asked.which, asked.window}), time);
}

task<gate_result> gate::pass(http::request const& head, http::route const& route, deadline until) {
  bool const is_public = route.found != nullptr && route.found->token_kinds.empty();
  if (is_public) {
    auto const which = parse_rate_class(route.found->rate_class).value_or(rate_class::anonymous);
    if (which == rate_class::none) co_return gate_result{};
    if (which == rate_class::heartbeat) co_return co_await pass_ping(head, route, until);
    if (route.found->own_pages) {
      if (auto refusal = cross_site_refusal(head))
        co_return pass_locally(address_subject(head.client_address), std::move(*refusal));
    }
    co_return co_await pass_address(address_subject(head.client_address), which, std::nullopt, until);
  }
  auto const credential = http::read_bearer(head);
  if (credential.content == http::bearer::kind::token) {
    // The check of prefix and checksum needs no store: a flood of guesses costs neither Redis nor PostgreSQL
    // anything.
    auto const token = read_token(credential.token);
    if (!token) co_return pass_locally(address_subject(head.client_address), unreadable_token(credential.token));
    co_return co_await pass_token(*token, std::nullopt, head, route, until);
  }
  if (credential.content == http::bearer::kind::none && route.found != nullptr && route.found->takes_session)
    co_return co_await pass_session(head, route, until);
  error failure = errc::token_required;
  if (credential.content == http::bearer::kind::unreadable) failure = errc::invalid_token;
  if (credential.content == http::bearer::kind::repeated) {
    failure = error(errc::malformed_request, "Send exactly one Authorization header.");
  }
  co_return co_await pass_address(address_subject(head.client_address), rate_class::anonymous, failure, until);
}

record_ptr gate::remembered(http::request const& head, http::route const& route) const {
  if (route.found != nullptr && route.found->token_kinds.empty()) return nullptr;
  auto const credential = http::read_bearer(head);
  if (credential.content != http::bearer::kind::token) return nullptr;
  auto const token = read_token(credential.token);
  return token ? parts_.authenticator.held(token->digest).record : nullptr;
}

/// Admits a request to a heartbeat's path. The key is the first parameter of the path. Redis sees only a part of its
/// digest.
task<gate_result> gate::pass_ping(http::request const& head, http::route const& route, deadline until) {
  auto const stranger = address_subject(head.client_address);
  auto const key = read_ping_key(route.path.front().second);
  if (!key) co_return pass_locally(stranger, unknown_heartbeat());
  if (known_pings_.use(*key)) co_return co_await pass_known_ping(*key, until);
  if (!strange_pings_.allow(head.client_address, steady::now())) throw unavailable("too many unknown keys");
  auto const found = co_await parts_.ping_keys(*key, until);
  if (!found) co_return co_await pass_address(stranger, rate_class::anonymous, unknown_heartbeat(), until);
  known_pings_.add(*key);
  auto out = co_await pass_address(heartbeat_subject(*key), rate_class::heartbeat, std::nullopt, until);
  out.ping = *found;
  co_return out;
}

/// Admits a request with a key that was valid before. The key may have been revoked since, so the gate reads it
/// again, but only for requests within the rate limit.
task<gate_result> gate::pass_known_ping(sha256_digest key, deadline until) {
  auto out = co_await pass_address(heartbeat_subject(key), rate_class::heartbeat, std::nullopt, until);
  if (out.refusal) co_return out;
  out.ping = co_await parts_.ping_keys(key, until);
  if (out.ping) co_return out;
  known_pings_.remove(key);
  out.refusal = unknown_heartbeat();
  co_return out;
}

gate_result gate::pass_locally(std::string const& subject, error refusal) {
  gate_result out;
  strangers_.change(parts_.table.anonymous);
  out.limit = strangers_.count(subject, steady::now(), now().micros);
  out.refusal = out.limit->admitted ? std::move(refusal) : error(errc::rate_limited);
  return out;
}

task<gate_result> gate::pass_address(std::string subject, rate_class which, std::optional<error> refusal,
                                     deadline until) {
  gate_result out;
  auto const start = steady::now();
  admission_reply reply;
  auto const answered = co_await parts_.fallback.ask(
      parts_.admission, {subject, epoch_mode::none, 0, which, parts_.table.of(which)}, until);
  if (answered) {
    reply = *answered;
    count(which, reply.verdict, start);
  }
  if (reply.verdict == admission_verdict::lost) {
    reply.decision = co_await parts_.fallback.decide(std::move(subject), {which, parts_.table.of(which)}, now());
  }
  out.limit_time = microseconds_since(start);
  out.limit = reply.decision;
  out.refusal = std::move(refusal);
  if (!reply.decision.admitted) out.refusal = errc::rate_limited;
  co_return out;
}

task<gate_result> gate::pass_token(presented_token token, std::optional<presented_session> session,
                                   http::request const& head, http::route const& route, deadline until) {
  attempt v(parts_, token, session, head, route);
  auto next = v.lookup.start();
  while (next.content != step::finish) next = co_await carry_out(v, next, until);
  co_return conclude(v);
}

task<action> gate::carry_out(attempt& v, action next, deadline until) {
  switch (next.content) {
    case step::fetch:
    case step::read:
      co_return co_await look_up(v, next, until);
    case step::admit:
      co_return co_await admit(v, next, until);
    case step::advance: {
      advances_.add();
      co_return v.steps.on_advance(
          co_await parts_.advancer.advance(v.steps.record()->caller.subject, next.epoch, until));
    }
    case step::local: {
      auto const ask = question(v, next);
      v.out.limit =
          co_await parts_.fallback.decide(ask.subject, {ask.which, ask.window}, now(), ask.also, ask.also_subject);
      co_return v.steps.on_local(v.out.limit->admitted);
    }
    case step::finish:
      break;
  }
  co_return next;
}

task<action> gate::look_up(attempt& v, action next, deadline until) {
  auto const start = steady::now();
  auto const after = next.content == step::fetch
                         ? co_await v.lookup.fetch(until)
                         : co_await v.lookup.read(next.mode, address_subject(v.head.client_address), until);
  v.out.auth_time += microseconds_since(start);
  co_return after;
}

admission_request gate::question(attempt const& v, action ask) const {
  switch (ask.about) {
    case purpose::anonymous:
      return {address_subject(v.head.client_address), epoch_mode::none, 0, rate_class::anonymous,
              parts_.table.anonymous};
    case purpose::refused:
      return {v.steps.record()->caller.token_id.to_string(), epoch_mode::none, 0, rate_class::refused,
              parts_.table.refused};
    case purpose::use:
    case purpose::confirm:
      break;
  }
  auto const& caller = v.steps.record()->caller;
  auto const which = caller.session                ? rate_class::session
                     : is_trigger_key(caller.kind) ? rate_class::trigger
                                                   : rate_class::cli;
  if (ask.about == purpose::confirm) return {caller.subject.to_string(), ask.mode, ask.epoch, which, {0, 1}};
  admission_request out{caller.subject.to_string(), ask.mode, ask.epoch, which, window_of(*v.steps.record())};
  if (which == rate_class::trigger) {
    out.also = class_window{rate_class::project, parts_.table.project};
    out.also_subject = caller.project_id.to_string();
  } else {
    out.also = second_window(v.route);
  }
  return out;
}

task<action> gate::admit(attempt& v, action ask, deadline until) {
  auto const start = steady::now();
  auto const asked = question(v, ask);
  bool const own_window = ask.about == purpose::use;
  if (own_window && ask.mode == epoch_mode::cached) {
    if (auto const known = known_denial(asked, start)) {
      v.out.limit = *known;
      co_return v.steps.on_admit(decision::admission_outcome::denied, std::nullopt);
    }
  }
  auto const answered = co_await parts_.fallback.ask(parts_.admission, asked, until);
  if (!answered) co_return v.steps.on_admit(decision::admission_outcome::lost, std::nullopt);
  auto const& reply = *answered;
  v.out.limit_time += microseconds_since(start);
  bool const probes = asked.also && asked.also_subject.empty();
  count(probes ? asked.also->which : asked.which, reply.verdict, start);
  v.out.limit = reply.decision;
  if (own_window && reply.verdict == admission_verdict::denied) {
    bool const by_other = !asked.also_subject.empty() && reply.decision.which == asked.also->which;
    denials_.remember(
        denial_key(by_other ? asked.also_subject : asked.subject, {reply.decision.which, reply.decision.window}),
        reply.decision, start);
  }
  co_return v.steps.on_admit(outcome_of(reply.verdict), reply.epoch);
}

gate_result gate::conclude(attempt& v) {
  using kind = decision_result::kind;
  auto const& verdict = v.steps.verdict();
  v.lookup.keep();
  switch (verdict.content) {
    case kind::unavailable:
      throw unavailable("no store can say whether the token is valid");
    case kind::unknown:
      v.lookup.keep_unknown();
      v.out.refusal = v.token.kind == token_kind::session ? errc::session_invalid : errc::invalid_token;
      break;
    case kind::refused:
      v.out.refusal = *verdict.refusal;
      if (verdict.refusal == errc::wrong_token_kind && v.route.found != nullptr && v.route.found->only_session)
        v.out.refusal = error(errc::wrong_token_kind, "This takes the cookie of a session, not a token; sign in.");
      break;
    case kind::limited:
      v.out.refusal = errc::rate_limited;
      break;
    case kind::let_in:
      v.out.record = v.steps.record();
      v.out.secret = v.token.digest;
      if (v.token.kind == token_kind::session) v.out.session_key = v.record_key;
      break;
  }
  return std::move(v.out);
}

}  // namespace svc::access
