// The path of a ping, and a monitor's life under any signals: any bytes are a key or not, a signal or not; deadlines
// only lie ahead of what was evaluated.
#include "check.hpp"
#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"
#include "svc/domain/token.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::heartbeats;

namespace {

void check_path(std::string_view text) {
  auto const slash = std::min(text.find('/'), text.size());
  if (auto const digest = read_ping_key(text.substr(0, slash)))
    check(*digest == sha256(text.substr(0, slash)), "the digest of the whole key");
  // No fuzzer finds a checksum.
  auto const body = std::string(ping_prefix) + std::string(text.substr(0, 24));
  auto whole = body + token_checksum(body);
  if (read_ping_key(whole)) {
    auto& changed = whole[ping_prefix.size() + text.size() % 30];
    changed = changed == 'a' ? 'b' : 'a';
    check(read_ping_key(whole).has_error(), "one changed character is found");
  }
  auto const rest = text.substr(std::min(slash + 1, text.size()));
  if (auto const signal = parse_signal(rest)) {
    check(rest.size() <= 5, "signals are short");
    check(!signal->exit_code || (signal->kind == signal_kind::failure && *signal->exit_code > 0),
          "an exit code of a failure");
    check(!signal->exit_code || std::to_string(*signal->exit_code) == rest, "one spelling");
  }
  if (auto const id = uuid::parse(rest)) check(uuid::parse(id->to_string()) == id, "an id reads back");
}

/// Each byte is a signal some time after the one before.
void live(heartbeat_config const& config, std::string_view signals) {
  timestamp now{1'700'000'000'000'000};
  heartbeat_state state;
  plan(config, state, now);
  for (unsigned char const byte : signals) {
    now = now + std::chrono::seconds(1 + byte * 17);
    auto const blind =
        byte % 5 == 0 ? std::optional(blind_window{now + std::chrono::seconds(-byte), now}) : std::nullopt;
    auto const before = state.due_at;
    if (auto const found = evaluate(config, state, blind, now)) {
      check(found->time <= now && found->failure && found->covers.count() > 0, "the evaluation came too late");
      check(!before || state.due_at >= before, "due times go on");
    }
    uuid run;
    run.bytes[0] = byte & 31;
    constexpr std::string_view kinds[] = {"0", "fail", "start", "start", "log", "9"};
    take(config, state, *parse_signal(kinds[byte % 6]), run, now);
    check(state.runs.size() <= most_runs, "runs are bounded");
    if (byte % 6 < 2 && state.due_at) check(*state.due_at > now, "a beat settles what was due");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  check_path(text);
  auto const end = std::min(text.find('\n'), text.size());
  boost::system::error_code failed;
  auto const value = boost::json::parse(text.substr(0, end), failed);
  if (failed || !value.is_object()) return 0;
  auto const config = parse_heartbeat(value.get_object());
  if (!config) {
    check(!config.error().details.empty(), "a fault names its field");
    return 0;
  }
  check(config->every.has_value() != config->cron.has_value(), "one kind of schedule");
  live(*config, text.substr(std::min(end + 1, text.size())).substr(0, 200));
  return 0;
}
