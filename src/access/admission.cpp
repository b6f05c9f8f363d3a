#include "svc/access/admission.hpp"

#include "access/decision_log.hpp"
#include "svc/core/numbers.hpp"
#include "svc/domain/principal.hpp"

#include <span>

namespace svc::embedded {
extern std::string_view const admit_lua;
extern std::string_view const announce_lua;
extern std::string_view const put_lua;
extern std::string_view const bump_lua;
}  // namespace svc::embedded

namespace svc::access {
namespace {

constexpr std::string_view mode_names[] = {"none", "cached", "fresh", "forced"};

std::optional<std::int64_t> read_number(redis::reply const& reply) {
  if (reply.kind == redis::reply::type::integer) return reply.number;
  return parse_number<std::int64_t>(reply.text);
}

constexpr std::size_t parts_of_window = 4;

/// Returns the subject of the request's second window.
std::string const& second_subject(admission_request const& request) {
  return request.also_subject.empty() ? request.subject : request.also_subject;
}

/// Returns the decision in the script's reply for one window. The reply has the time, the remaining requests, the
/// time when the oldest request leaves the window, and the time when a slot becomes free.
limit_decision decision_of(redis::reply const* parts, class_window const& window, bool admitted) {
  return {window.which,    window.window,   admitted,       static_cast<std::uint32_t>(parts[1].number),
          parts[0].number, parts[2].number, parts[3].number};
}

}  // namespace

std::string window_key(std::string_view subject, class_window const& window) {
  std::string key;
  key.reserve(subject.size() + 40);
  key += "svc:{";
  key += subject;
  key += "}:w:";
  key += to_string(window.which);
  key += ':';
  key += std::to_string(window.window.seconds);
  return key;
}

std::string window_micros(window_limit const& window) {
  return std::to_string(std::int64_t{window.seconds} * 1'000'000);
}

redis::script const& admission::script() {
  static redis::script const admit("admit", embedded::admit_lua);
  return admit;
}

admission_reply read_admission_reply(redis::outcome const& outcome, class_window first,
                                     std::optional<class_window> const& also) {
  admission_reply out;
  auto const& parts = outcome.value.elements;
  out.moving = outcome.moving();
  if (outcome.value.is_error() && !out.moving) out.refusal = outcome.value.text;
  if (!outcome.ok() || parts.size() < 2) return out;
  auto const& verdict = parts[0].text;
  out.epoch = read_number(parts[1]);
  if (verdict == "STALE") {
    out.verdict = admission_verdict::stale;
    return out;
  }
  // The script leaves out a second window that admits and has more room than the first one.
  bool const shows_second = also && parts.size() == 2 + 2 * parts_of_window;
  if ((!shows_second && parts.size() != 2 + parts_of_window) || (verdict != "OK" && verdict != "DENIED")) return out;
  bool const admitted = verdict == "OK";
  out.verdict = admitted ? admission_verdict::ok : admission_verdict::denied;
  out.decision = decision_of(&parts[2], first, admitted);
  if (!also) return out;
  // A window has room if its reply names no moment at which a slot becomes free.
  out.decision.admitted = out.decision.retry_micros == 0;
  if (!shows_second) return out;
  auto const& second = parts[2 + parts_of_window + 3];
  out.decision = shown_of(out.decision, decision_of(&parts[2 + parts_of_window], *also, second.number == 0));
  return out;
}

task<admission_reply> admission::admit(admission_request request, deadline until) {
  bool const apart = request.also && !request.also_subject.empty() &&
                     redis_.part_of(epoch_key(request.subject)) != redis_.part_of(epoch_key(request.also_subject));
  auto const reply = apart ? co_await admit_apart(request, until) : co_await admit_together(request, until);
  decision_log::record(request, reply);
  co_return reply;
}

task<admission_reply> admission::admit_apart(admission_request request, deadline until) {
  admission_request own = request;
  own.also.reset();
  auto const first = co_await admit_together(own, until);
  if (first.verdict != admission_verdict::ok) co_return first;
  auto reply = co_await admit_together(
      {request.also_subject, epoch_mode::none, 0, request.also->which, request.also->window}, until);
  reply.epoch = first.epoch;
  if (reply.verdict == admission_verdict::ok) reply.decision = shown_of(first.decision, reply.decision);
  if (reply.verdict != admission_verdict::denied) co_return reply;
  // Stamps of one microsecond are equal, so it does not matter which request's stamp is removed.
  auto const log = window_key(request.subject, {request.which, request.window});
  auto const stamp = std::to_string(first.decision.now_micros);
  std::string_view const words[] = {"LREM", log, "1", stamp};
  co_await redis_.command(words, until);
  co_return reply;
}

task<admission_reply> admission::admit_together(admission_request request, deadline until) {
  class_window const first{request.which, request.window};
  std::string const log = window_key(request.subject, first);
  std::string const epoch_at = epoch_key(request.subject);
  std::string const epoch = std::to_string(request.epoch);
  std::string const limit = std::to_string(request.window.limit);
  std::string const window = window_micros(request.window);
  // Only a record that may raise the epoch needs a lifetime for it; other records do not need to draw one.
  bool const bumps = request.mode == epoch_mode::fresh || request.mode == epoch_mode::forced;
  std::string const life = bumps ? epoch_life_millis() : "0";

  std::string const second_log = request.also ? window_key(second_subject(request), *request.also) : "";
  std::string const second_limit = request.also ? std::to_string(request.also->window.limit) : "";
  std::string const second_window = request.also ? window_micros(request.also->window) : "";
  std::size_t const indexes = request.also ? 2 : 1;

  std::string_view const keys[] = {log, epoch_at, second_log, epoch_at};
  std::string_view const arguments[] = {mode_names[static_cast<std::size_t>(request.mode)],
                                        epoch,
                                        limit,
                                        window,
                                        life,
                                        "also",
                                        "0",
                                        second_limit,
                                        second_window,
                                        "0"};
  auto const outcome =
      co_await calls_.evaluate(std::span(keys).first(2 * indexes), std::span(arguments).first(5 * indexes), until);
  co_return read_admission_reply(outcome, first, request.also);
}

redis::script const& bump_script() {
  static redis::script const bump("raise", embedded::bump_lua);
  return bump;
}

redis::script const& put_script() {
  static redis::script const put("put", embedded::put_lua);
  return put;
}

redis::script const& announce_script() {
  static redis::script const announce("announce", embedded::announce_lua);
  return announce;
}

std::vector<redis::script const*> scripts() {
  return {&bump_script(), &put_script(), &announce_script()};
}

task<bool> bump_epoch(redis::client& redis, subject_epoch entry, deadline until) {
  std::string const key = epoch_key(entry.subject.to_string());
  std::string const epoch = std::to_string(entry.epoch);
  std::string const life = epoch_life_millis();
  std::string_view const keys[] = {key};
  std::string_view const arguments[] = {epoch, life};
  auto const bumped = co_await redis.evaluate(bump_script(), keys, arguments, until);
  co_return bumped.ok();
}

}  // namespace svc::access
