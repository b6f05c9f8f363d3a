// These are the operator's commands for a database that was restored to an earlier time (docs/backup.md).
#include "app/admin/actions.hpp"

#include <iostream>
#include <sstream>

namespace svc::app::admin {

namespace {

constexpr std::int64_t ended_at_once = 500;

/// Returns a line that is no id for a message. A secret stays secret.
std::string shown(std::string const& line) {
  constexpr std::size_t most = 60;
  if (line.find("svc_") != std::string::npos) return "a token itself";
  return "'" + line.substr(0, most) + (line.size() > most ? "..." : "") + "'";
}

/// Reads one id from each line, and skips empty lines and lines that start with #.
result<std::vector<uuid>> parse_ids(std::string const& text) {
  std::vector<uuid> out;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    auto const id = uuid::parse(line);
    if (!id)
      return error(errc::validation_failed, "Nothing was revoked.",
                   {{"line " + std::to_string(number), shown(line) + " is not the id of a token, a trigger key or a "
                                                                     "runner token"}});
    out.push_back(*id);
  }
  return out;
}

/// Returns false if there is no such token, or it is revoked already.
task<bool> revoke_any(session& s, uuid id) {
  auto const scope = co_await s.tokens.scope_of(id, s.patience());
  if (!scope) co_return (co_await s.runners.revoke(id, s.actor, s.patience())).has_value();
  store::token_editor const editor{.actor = s.actor, .as = role::org_owner};
  auto done = co_await s.tokens.revoke(*scope, id, editor, s.patience());
  co_await s.publish(std::move(done.touched));
  co_return done.outcome.has_value();
}

/// Returns the number of ended runs.
task<std::int64_t> end_waiting_runs(session& s, timestamp before, std::string reason) {
  std::int64_t runs = 0, done = 0;
  do {
    auto const ended = co_await s.queue.end(before, reason, ended_at_once, s.patience());
    for (auto const& each : ended)
      s.pages.note(each.project, {.run = each.run,
                                  .job = each.job,
                                  .status = "error",
                                  .order = feed::run_order(each.attempt, feed::run_step::ended)});
    done = static_cast<std::int64_t>(ended.size());
    runs += done;
  } while (done == ended_at_once);
  co_return runs;
}

boost::json::value ended_answer(bool ended, std::int64_t runs, std::int64_t schedules) {
  return {{"ended", ended}, {"runs", runs}, {"skippedSchedules", schedules}};
}

}  // namespace

task<answer> revoke_tokens(session& s, arguments a) {
  auto const text = read_file(a.file);
  if (!text) co_return text.error();
  auto const ids = parse_ids(*text);
  if (!ids) co_return ids.error();
  if (ids->empty()) std::cerr << "svcd: warning: " + a.file + " has no id, so nothing is revoked\n";
  std::int64_t revoked = 0;
  boost::json::array others;
  for (uuid const id : *ids) {
    if (co_await revoke_any(s, id))
      ++revoked;
    else
      others.emplace_back(id.to_string());
  }
  co_return boost::json::value{{"revoked", revoked}, {"unknownOrRevoked", std::move(others)}};
}

task<answer> end_runs(session& s, arguments a) {
  auto const before = parse_day(a.before);
  if (!before) co_return error(errc::validation_failed, "--before must be a date or a time.");
  if (!a.confirmed) {
    std::cerr << "svcd: nothing was changed; --yes ends these runs\n";
    co_return ended_answer(false, co_await s.queue.count(*before, s.patience()), 0);
  }
  std::int64_t const runs = co_await end_waiting_runs(s, *before, a.reason);
  if (!a.missed_schedules) co_return ended_answer(true, runs, 0);
  std::int64_t schedules = 0, done = 0;
  do {
    auto const skipped = co_await s.schedules.skip_missed(a.reason, ended_at_once, s.patience());
    s.pages.note(skipped);
    done = static_cast<std::int64_t>(skipped.size());
    schedules += done;
  } while (done == ended_at_once);
  co_return ended_answer(true, runs, schedules);
}

}  // namespace svc::app::admin
