#include "svc/access/relay.hpp"

#include "svc/access/admission.hpp"
#include "svc/core/log.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/principal.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <algorithm>
#include <charconv>

namespace svc::access {

namespace {

/// The number of subjects in one read: in a Cluster each is one command, all within one `command_deadline`.
constexpr std::ptrdiff_t read_at_once = 500;

/// Returns the subjects whose epoch in Redis is too low or missing.
std::vector<subject_epoch> behind(std::vector<subject_epoch> const& due, redis::reply const& held) {
  std::vector<subject_epoch> out;
  for (std::size_t i = 0; i < due.size(); ++i) {
    std::int64_t epoch = -1;
    auto const& text = held.elements[i].text;
    std::from_chars(text.data(), text.data() + text.size(), epoch);
    if (epoch < due[i].epoch) out.push_back(due[i]);
  }
  return out;
}

}  // namespace

task<bool> relay::pass(deadline until) {
  try {
    auto const pending = co_await outbox_.recent(until);
    if (pending.epochs.empty()) co_return true;
    invalidate_(pending.epochs);
    if (!co_await deliver(pending.epochs, until)) co_return false;
    if (!pending.undelivered.empty()) co_await outbox_.mark_delivered(pending.undelivered, until);
    co_return true;
  } catch (unavailable const&) {
    co_return false;
  }
}

task<> relay::hear(deadline until) {
  auto const pending = co_await outbox_.recent(until);
  if (!pending.epochs.empty()) invalidate_(pending.epochs);
}

/// The epochs that one part has advanced stay advanced, so that after a long outage each pass delivers more.
task<bool> relay::deliver(std::vector<subject_epoch> due, deadline until) {
  for (auto first = due.begin(); first != due.end();) {
    auto const end = first + std::min(read_at_once, due.end() - first);
    if (!co_await deliver_part({first, end}, until)) co_return false;
    first = end;
  }
  co_return true;
}

task<bool> relay::deliver_part(std::vector<subject_epoch> due, deadline until) {
  std::vector<std::string> keys;
  for (auto const& epoch : due) keys.push_back(epoch_key(epoch.subject.to_string()));
  auto const held = co_await redis_.read_all(std::move(keys), until);
  if (!held.ok() || held.value.elements.size() != due.size()) co_return false;
  for (subject_epoch const& epoch : behind(due, held.value)) {
    if (!co_await bump_epoch(redis_, epoch, until)) co_return false;
  }
  co_return true;
}

namespace {

/// The channel that the scripts publish to.
constexpr auto epoch_channel = "svc:raised";

}  // namespace

std::optional<subject_epoch> read_bump(std::string_view payload) {
  auto const brace = payload.find('{'), end = payload.find('}');
  auto const space = payload.find(' ');
  if (brace == payload.npos || end == payload.npos || space == payload.npos || end < brace) return std::nullopt;
  auto const subject = uuid::parse(payload.substr(brace + 1, end - brace - 1));
  if (!subject || payload.substr(0, space) != epoch_key(subject->to_string())) return std::nullopt;
  auto const epoch = parse_number<std::int64_t>(payload.substr(space + 1));
  if (!epoch || *epoch < 0) return std::nullopt;
  return subject_epoch{*subject, *epoch};
}

epoch_subscriber::epoch_subscriber(asio::io_context& io, redis::settings where, callbacks on_news)
    : subscription_(io, std::move(where), *this), on_news_(std::move(on_news)) {}

void epoch_subscriber::start() {
  subscription_.start();
  subscription_.subscribe(epoch_channel);
}

void epoch_subscriber::stop() {
  subscription_.stop();
}

void epoch_subscriber::on_message(std::string_view, std::string_view payload) {
  if (auto const bumped = read_bump(payload)) on_news_.heard({*bumped});
}

void epoch_subscriber::on_masters(std::vector<redis::address> const& masters, std::size_t taken_over) {
  if (on_news_.masters) on_news_.masters(masters, taken_over);
}

task<bool> redis_recovery::mend(deadline until) {
  refusal_.clear();
  auto const servers = redis_.tags();
  for (auto const& tag : servers)
    if (!co_await probe(tag, until)) co_return false;
  if (servers.empty() || !co_await changes_.pass(until)) co_return false;
  authenticator_.invalidate_all();
  co_return true;
}

task<bool> redis_recovery::probe(std::string tag, deadline until) {
  std::string_view const role[] = {"ROLE"};
  auto const notified = co_await redis_.command_at(tag, role, until);
  if (notified.value.is_error()) refusal_ = notified.value.text;
  if (!notified.ok() || notified.value.elements.empty()) co_return false;
  if (notified.value.elements[0].text != "master") {
    // After a failover a stable host name leads to another server, but the connection stays with the old one.
    redis_.reconnect();
    co_return false;
  }
  // With full memory or after a failed save, Redis refuses only writes.
  auto const key = "svc:probe" + tag;
  std::string_view const write[] = {"SET", key, "1", "PX", "10000"};
  auto const taken = co_await redis_.command_at(tag, write, until);
  if (taken.value.is_error()) refusal_ = taken.value.text;
  co_return taken.ok() && co_await decide(tag, until);
}

/// Checks that Redis decides. Each decision needs rights that the other probes do not need: EVALSHA, and the rights
/// for the commands in the script.
task<bool> redis_recovery::decide(std::string tag, deadline until) {
  auto const window = "svc:probe:w" + tag, epoch = "svc:probe:e" + tag;
  // The limit is so large that all workers of all instances have room: only an admission runs the script's writing
  // commands.
  std::string_view const arguments[] = {"none", "0", "100000", "1000000", "0"};
  std::string_view const keys[] = {window, epoch};
  auto const decided = co_await redis_.evaluate(admission::script(), keys, arguments, until);
  if (decided.value.is_error()) refusal_ = decided.value.text;
  co_return decided.ok();
}

}  // namespace svc::access
