#include "svc/access/admission.hpp"

#include "access/decision_log.hpp"
#include "svc/core/numbers.hpp"
#include "svc/domain/principal.hpp"

namespace svc::embedded {
extern std::string_view const admit_lua;
extern std::string_view const announce_lua;
extern std::string_view const put_lua;
extern std::string_view const raise_lua;
}  // namespace svc::embedded

namespace svc::access {
namespace {

constexpr std::string_view mode_names[] = {"none", "cached", "fresh", "forced"};

std::string log_key(admission_request const& r) {
  std::string key;
  key.reserve(r.subject.size() + 40);
  key += "svc:{";
  key += r.subject;
  key += "}:w:";
  key += to_string(r.which);
  key += ':';
  key += std::to_string(r.window.seconds);
  return key;
}

std::optional<std::int64_t> read_number(redis::reply const& from) {
  if (from.kind == redis::reply::type::integer) return from.number;
  return parse_number<std::int64_t>(from.text);
}

}  // namespace

redis::script const& admission::script() {
  static redis::script const admit("admit", embedded::admit_lua);
  return admit;
}

admission_reply read_admission_reply(redis::outcome const& from, rate_class which, window_limit window) {
  admission_reply out;
  auto const& parts = from.value.elements;
  out.moving = from.moving();
  if (!from.ok() || parts.size() < 2) return out;
  auto const& verdict = parts[0].text;
  out.epoch = read_number(parts[1]);
  if (verdict == "STALE") {
    out.verdict = admission_verdict::stale;
    return out;
  }
  if (parts.size() != 6 || (verdict != "OK" && verdict != "DENIED")) return out;
  bool const admitted = verdict == "OK";
  out.verdict = admitted ? admission_verdict::ok : admission_verdict::denied;
  out.decision = {which,           window,          admitted,       static_cast<std::uint32_t>(parts[3].number),
                  parts[2].number, parts[4].number, parts[5].number};
  return out;
}

task<admission_reply> admission::admit(admission_request request, deadline until) {
  std::string const log = log_key(request);
  std::string const epoch_at = epoch_key(request.subject);
  std::string const epoch = std::to_string(request.epoch);
  std::string const limit = std::to_string(request.window.limit);
  std::string const window = std::to_string(std::int64_t{request.window.seconds} * 1'000'000);
  // Only a record that may raise the epoch needs a lifetime for it; drawing one for the others would be a waste.
  bool const raises = request.mode == epoch_mode::fresh || request.mode == epoch_mode::forced;
  std::string const life = raises ? epoch_life_millis() : "0";

  std::string_view const keys[] = {log, epoch_at};
  std::string_view const arguments[] = {mode_names[static_cast<std::size_t>(request.mode)], epoch, limit, window,
                                        life};
  auto const outcome = co_await calls_.evaluate(keys, arguments, until);
  auto const reply = read_admission_reply(outcome, request.which, request.window);
  decision_log::record(request, reply);
  co_return reply;
}

redis::script const& raise_script() {
  static redis::script const raise("raise", embedded::raise_lua);
  return raise;
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
  return {&raise_script(), &put_script(), &announce_script()};
}

task<bool> raise_epoch(redis::client& redis, subject_epoch one, deadline until) {
  std::string const key = epoch_key(one.subject.to_string());
  std::string const epoch = std::to_string(one.epoch);
  std::string const life = epoch_life_millis();
  std::string_view const keys[] = {key};
  std::string_view const arguments[] = {epoch, life};
  auto const raised = co_await redis.evaluate(raise_script(), keys, arguments, until);
  co_return raised.ok();
}

}  // namespace svc::access
