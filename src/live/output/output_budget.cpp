#include "svc/live/output/output_budget.hpp"

#include "live/output/redis_output.hpp"

#include <string>

namespace svc::embedded {
extern std::string_view const output_count_lua;
}  // namespace svc::embedded

namespace svc::output {
namespace {

constexpr milliseconds book_patience{1000};
constexpr milliseconds memory_each{500};
constexpr milliseconds report_interval{1000};
constexpr std::string_view looked_at = "64";
/// Time after a dropped batch in which the output still counts as cut.
constexpr std::chrono::seconds fresh{3};
/// Time for which runs wait for an unreachable Redis. A restart of Redis takes less, so it loses no line.
constexpr std::chrono::seconds worth_waiting{5};

output_ledger::project_bytes projects_of(redis::reply const& flat) {
  output_ledger::project_bytes out;
  for (std::size_t i = 0; i + 1 < flat.elements.size(); i += 2) {
    if (auto const project = uuid::parse(flat.elements[i].text))
      out.emplace_back(*project, flat.elements[i + 1].number);
  }
  return out;
}

}  // namespace

std::string_view name_of(output_health health) {
  switch (health) {
    case output_health::whole:
      return "whole";
    case output_health::cut:
      return "cut";
    case output_health::lost:
      break;
  }
  return "lost";
}

redis::script const& output_budget::script() {
  static redis::script const count("output_count", embedded::output_count_lua);
  return count;
}

output_budget::output_budget(redis::client& redis, memory_share share, metrics& counters)
    : redis_(redis), share_(share) {
  auto const dropped = [&](std::string const& reason) {
    return counters.make_counter("svc_output_cuts_total", "Batches of live output that were dropped",
                                 {{"reason", reason}});
  };
  cut_ = dropped("budget");
  refused_ = dropped("memory");
  ledger_.set_budget(room_of(share_, std::nullopt));
}

void output_budget::cut(bool refused) {
  last_cut_ = steady::now();
  (refused ? refused_ : cut_).add();
}

output_health output_budget::health() const {
  if (!redis_.connected()) return output_health::lost;
  bool const now = last_cut_ != steady::time_point::min() && steady::now() < last_cut_ + fresh;
  return now || short_ ? output_health::cut : output_health::whole;
}

bool output_budget::given_up() const {
  return away_since_ && steady::now() > *away_since_ + worth_waiting;
}

task<> output_budget::keep(bool look) {
  if (!redis_.connected()) {
    if (!away_since_) away_since_ = steady::now();
    co_return;
  }
  away_since_.reset();
  if (steady::now() >= memory_read_ + memory_each) co_await read_memory();
  co_await report(look);
}

task<> output_budget::read_memory() {
  memory_read_ = steady::now();
  std::vector<std::optional<redis_memory>> each;
  for (auto const& tag : redis_.tags()) {
    std::string_view const words[] = {"INFO", "memory"};
    auto const answer = co_await redis_.command_at(tag, words, deadline::after(book_patience));
    if (answer.state != redis::delivery::answered) co_return;
    each.push_back(output::read_memory(answer.value.is_error() ? std::string_view() : answer.value.text));
  }
  auto const reported = together_of(each);
  ledger_.set_budget(room_of(share_, reported));
  short_ = runs_short(share_, reported);
}

task<> output_budget::report(bool look) {
  auto changes = ledger_.take();
  bool const due_now = steady::now() >= reported_ + report_interval;
  if (changes.empty() && !due_now) co_return;
  std::vector<std::string> words{look && due_now ? std::string(looked_at) : "0"};
  for (auto const& [run, change] : changes) {
    words.push_back(run.to_string());
    words.push_back(change.project.to_string());
    words.push_back(change.held ? std::to_string(*change.held) : std::string());
    words.push_back(std::to_string(change.again.count()));
  }
  std::vector<std::string_view> const arguments(words.begin(), words.end());
  std::string_view const keys[] = {books_runs, books_due, books_held};
  auto const answer = co_await redis_.evaluate(script(), keys, arguments, deadline::after(book_patience));
  auto const& parts = answer.value.elements;
  if (!answer.ok() || parts.size() != 3) co_return ledger_.take_back(std::move(changes));
  if (due_now) reported_ = steady::now();
  ledger_.reported(parts[0].number, projects_of(parts[1]), steady::now());
  if (parts[2].elements.empty()) co_return;
  due_.clear();
  for (std::size_t i = 0; i + 1 < parts[2].elements.size(); i += 2) {
    auto const run = uuid::parse(parts[2].elements[i].text), project = uuid::parse(parts[2].elements[i + 1].text);
    if (run && project) due_.push_back({*run, *project});
  }
}

}  // namespace svc::output
