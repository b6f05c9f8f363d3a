// Reads the results of a campaign, for its check.
#include "campaign_fixture.hpp"
#include "support/together.hpp"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <unordered_map>

namespace svc::test {
namespace {

constexpr int readers = 4;
constexpr std::size_t asked_at_once = 1000;

// For each run: the number of its events, how many of them announce an end, and the end in the last one.
constexpr char const* count_ends = R"(
local out = {}
for i, run in ipairs(ARGV) do
  local ends, last = 0, '-'
  local events = redis.call('XRANGE', 'svc:{' .. run .. '}:out', '-', '+')
  for _, event in ipairs(events) do
    last = '-'
    if event[2][1] == 'c' then
      ends = ends + 1
      last = event[2][2]
    end
  end
  out[i] = run .. ' ' .. #events .. ' ' .. ends .. ' ' .. last
end
return out)";

}  // namespace

bool campaign_fixture::drain(std::chrono::seconds within) {
  auto const left = [&] {
    return fleet_.sql(
        "SELECT count(*) FROM runs r LEFT JOIN run_output o ON o.run_id = r.id WHERE o.stored_at IS NULL AND"
        " NOT (r.status = 'cancelled' AND r.attempt = 0)"
        " AND NOT EXISTS (SELECT FROM run_results e WHERE e.run_id = r.id AND e.silent)"
        " AND r.project_id = (SELECT project_id FROM jobs WHERE id = '" +
        job_ + "')")[0][0];
  };
  for (auto const until = clock::now() + within; left() != "0";
       std::this_thread::sleep_for(std::chrono::milliseconds(200)))
    if (clock::now() > until) return false;
  return true;
}

campaign_facts campaign_fixture::facts() {
  over_ = true;
  canceller_.join();
  for (auto& service : runners_) {
    service->signal(SIGTERM);
    leaving_.push_back(std::move(service));
  }
  for (auto const& service : leaving_) service->wait();
  leaving_.clear();
  for (int i = 1; i <= started_; ++i)
    for (auto& entry : read_deeds(directory_.path() + "/record" + std::to_string(i)))
      known_.deeds.push_back(std::move(entry));
  for (auto& row : fleet_.sql("SELECT run, from_status, to_status, attempt, lost, held, holds, completed"
                              " FROM campaign_history ORDER BY id"))
    known_.history.push_back(
        {row[0], row[1], row[2], std::stoll(row[3]), std::stoll(row[4]), row[5], row[6], row[7]});
  // Only the history of the campaign still knows the number of lost claims of an ended run.
  for (auto& row :
       fleet_.sql("SELECT r.id, r.status, r.claim_id, r.completed_at, r.attempt, coalesce((SELECT h.lost FROM"
                  " campaign_history h WHERE h.run = r.id ORDER BY h.id DESC LIMIT 1), 0) FROM runs r WHERE r.job_id"
                  " IN ('" +
                  job_ + "', '" + limited_job_ + "') ORDER BY r.id"))
    known_.rows.push_back({row[0], row[1], row[2], row[3], std::stoll(row[4]), std::stoll(row[5])});
  read_output(known_.rows);
  read_streams(known_.rows);
  return known_;
}

std::vector<timed_request> campaign_fixture::requests() {
  auto all = asked_.all();
  for (int i = 1; i <= started_; ++i)
    for (auto& request : read_requests(directory_.path() + "/record" + std::to_string(i) + ".waits"))
      all.push_back(std::move(request));
  return all;
}

void campaign_fixture::read_output(std::vector<last_state>& rows) {
  std::atomic<std::size_t> next = 0;
  together(readers, [&](int) {
    auto client = fleet_.client(0, owner_.token);
    for (auto i = next++; i < rows.size(); i = next++) {
      auto const got = until_there([&] { return client.get("/api/runs/" + rows[i].run + "/output"); });
      rows[i].output = got.status == 200 ? got.body : "no output: " + std::to_string(got.status);
    }
  });
}

void campaign_fixture::read_streams(std::vector<last_state>& rows) {
  std::unordered_map<std::string, last_state*> entries;
  for (auto& row : rows) entries[row.run] = &row;
  for (std::size_t begin = 0; begin < rows.size(); begin += asked_at_once) {
    std::vector<std::string> words{"EVAL", count_ends, "0"};
    for (auto i = begin; i < std::min(begin + asked_at_once, rows.size()); ++i) words.push_back(rows[i].run);
    std::istringstream lines(fleet_.redis(words));
    for (std::string run, last; lines >> run;) {
      auto& row = *entries.at(run);
      int events = 0;
      lines >> events >> row.ends_in_stream >> last;
      row.last_in_stream = last == "-" ? "" : last;
      // The mover of its output has deleted the stream, or has written the end to the stored output.
      if (row.ends_in_stream > 0 || row.attempt == 0) continue;
      ++(events == 0 ? known_.streams_gone : known_.streams_without_end);
      watch_stream(row);
    }
  }
}

/// Reads the end that a late viewer gets.
void campaign_fixture::watch_stream(last_state& row) {
  constexpr std::string_view end = "event: complete\ndata: {\"status\":\"";
  auto const reported = client_of(0, owner_.token).get("/api/runs/" + row.run + "/stream").body;
  for (auto sv = reported.find(end); sv != reported.npos; sv = reported.find(end, sv + 1)) {
    ++row.ends_in_stream;
    auto const status = sv + end.size();
    bool const is_last = reported.find("event: ", status) == reported.npos;
    row.last_in_stream = is_last ? reported.substr(status, reported.find('"', status) - status) : "";
  }
}

}  // namespace svc::test
