#include "campaign_check.hpp"

#include <sstream>
#include <tuple>

namespace svc::test {
namespace {

/// What the service shows where a runner has reported more lines than it sent.
constexpr char const* gap = "[output is missing here]";

bool is_over(std::string const& status) {
  return status != "queued" && status != "running";
}

/// A run according to its history.
struct life {
  std::string status = "queued", claim{}, completed{};
  std::int64_t attempt = 0, lost = 0;
  std::map<std::int64_t, std::string> claims{};  ///< by attempt
  std::string ended_by{};                        ///< claim
  std::set<std::string> given_back{};            ///< claims
};

class campaign_check {
 public:
  explicit campaign_check(campaign_facts const& of) : of_(of) {
    for (auto const& one : of.deeds) {
      said_.emplace(one.what, one.claim, one.said);
      if (one.what == "printed" && one.answer != 200) unheard_.insert(one.run);
      if (one.what == "printed" && one.answer == 200) heard_.insert(one.claim);
    }
  }

  campaign_verdict operator()() {
    for (auto const& run : of_.acknowledged) lives_[run];
    for (auto const& one : of_.history) follow(one);
    for (auto const& one : of_.rows) compare(one);
    for (auto const& run : of_.acknowledged)
      if (!rows_.contains(run)) blame("lost", run);
    for (auto const& one : of_.deeds) weigh(one);
    out_.answers_lost = out_.claims - out_.taken_back - static_cast<int>(received_.size());
    return std::move(out_);
  }

 private:
  void blame(std::string const& what, std::string const& run) { out_.broken[what].insert(run); }
  void expect(bool holds, std::string const& what, std::string const& run) {
    if (!holds) blame(what, run);
  }
  bool asked(std::string const& what, std::string const& claim, std::string const& said = "-") const {
    return said_.contains({what, claim, said});
  }

  void follow(transition const& one) {
    expect(of_.acknowledged.contains(one.run), "a run that nobody made", one.run);
    life& of = lives_[one.run];
    expect(!is_over(of.status), "changed after its end", one.run);
    expect(one.from == of.status, "a hole in the history", one.run);
    if (one.to == "running")
      take(of, one);
    else
      leave(of, one);
    of.status = one.to;
    of.lost = one.lost;
    of.completed = one.completed;
  }

  void take(life& of, transition const& one) {
    expect(one.from == "queued", "claimed while it was not queued", one.run);
    expect(one.attempt == of.attempt + 1, "attempts are not the claims", one.run);
    expect(one.lost == of.lost, "a claim counted as lost", one.run);
    expect(!one.holds.empty() && claims_.insert(one.holds).second, "a claim id twice", one.run);
    of.attempt = one.attempt;
    of.claim = of.claims[one.attempt] = one.holds;
    ++out_.claims;
    if (of_.limited.contains(one.run)) expect(++limited_ <= of_.limit, "more at a time than the job allows", one.run);
  }

  void leave(life& of, transition const& one) {
    // By the service itself, before the runner, which is gone, heard of its claim.
    if (one.to == "queued" && one.attempt == of.attempt - 1) return take_back(of, one);
    expect(one.attempt == of.attempt, "attempts are not the claims", one.run);
    if (of.status == "running" && of_.limited.contains(one.run)) --limited_;
    bool const lost = one.lost == of.lost + 1;
    expect(lost || one.lost == of.lost, "a claim lost more than once", one.run);
    if (lost) ++out_.claims_lost;
    if (one.to == "queued")
      requeue(of, one, lost);
    else
      end(of, one, lost);
    of.claim.clear();
  }

  /// What a runner would tell under the claim is that of one "that the history does not know".
  void take_back(life& of, transition const& one) {
    if (of_.limited.contains(one.run)) --limited_;
    expect(one.from == "running", "queued again while it was not running", one.run);
    expect(one.holds.empty(), "a queued run is claimed", one.run);
    expect(one.lost == of.lost, "a claim counted as lost", one.run);
    of.claims.erase(of.attempt);
    of.attempt = one.attempt;
    of.claim.clear();
    ++out_.taken_back;
  }

  void requeue(life& of, transition const& one, bool lost) {
    expect(one.from == "running", "queued again while it was not running", one.run);
    expect(one.holds.empty(), "a queued run is claimed", one.run);
    if (lost) return expect(one.lost <= of_.retries, "more attempts than configured", one.run);
    expect(asked("releases", of.claim), "handed back by nobody", one.run);
    of.given_back.insert(of.claim);
    ++out_.handed_back;
  }

  void end(life& of, transition const& one, bool lost) {
    expect(!one.completed.empty(), "an end without its time", one.run);
    if (one.to == "cancelled") {
      expect(of_.cancels.contains(one.run), "cancelled by nobody", one.run);
      bool const told = asked("ends", of.claim, "cancelled") || asked("releases", of.claim);
      expect(one.from == "queued" || lost || told, "a result that nobody told", one.run);
    } else if (one.to == "error") {
      expect(lost && one.lost == of_.retries + 1, "given up before its attempts were used up", one.run);
    } else {
      expect(one.from == "running" && !lost && one.holds == of.claim, "ended by another claim", one.run);
      expect(asked("ends", of.claim, one.to), "a result that nobody told", one.run);
    }
    // Also for one that was handed back while it was being cancelled.
    if (one.to != "error" && !lost) of.ended_by = of.claim;
    ++out_.ends[one.to];
  }

  void compare(last_state const& row) {
    expect(rows_.emplace(row.run, &row).second, "two rows", row.run);
    expect(of_.acknowledged.contains(row.run), "a run that nobody made", row.run);
    life const& of = lives_[row.run];
    expect(is_over(row.status), "not ended", row.run);
    expect(row.status == of.status && row.completed == of.completed, "ended unseen", row.run);
    expect(row.attempt == of.attempt && row.lost == of.lost, "attempts are not the claims", row.run);
    // A run that was never claimed has no stream.
    bool const told = row.ends_in_stream == 1 && row.last_in_stream == row.status;
    expect(told || (row.attempt == 0 && row.ends_in_stream == 0), "its stream tells another end", row.run);
    read(row, of);
  }

  /// Line by line: the attempts in order, each line from the claim that held the run in that attempt.
  void read(last_state const& row, life const& of) {
    std::istringstream lines(row.output);
    std::pair<std::int64_t, std::int64_t> before{0, 0};
    for (std::string line; std::getline(lines, line);) {
      if (line == gap) {
        // Nobody knows what a first attempt printed when not even its start reached Redis.
        auto const first = of.claims.find(1);
        bool const in_doubt = before.first == 0 && first != of.claims.end() && !heard_.contains(first->second);
        expect(in_doubt || unheard_.contains(row.run), "output is missing", row.run);
        continue;
      }
      std::istringstream words(line);
      std::int64_t attempt = 0;
      std::string number, claim;
      words >> attempt >> number >> claim;
      auto const held = of.claims.find(attempt);
      bool const known = held != of.claims.end() && held->second == claim && asked("prints", claim, number);
      expect(known, "output of another claim", row.run);
      if (!known) continue;
      std::pair<std::int64_t, std::int64_t> const place{attempt, std::stoll(number)};
      expect(place > before, "output out of order", row.run);
      before = place;
      visible_.insert({claim, number});
    }
  }

  void weigh(deed const& one) {
    auto const found = lives_.find(one.run);
    if (found == lives_.end()) return blame("a run that nobody made", one.run);
    life const& of = found->second;
    auto const held = of.claims.find(one.attempt);
    expect(held != of.claims.end() && held->second == one.claim, "a claim that the history does not know", one.run);
    if (one.what == "claimed") expect(received_.insert(one.claim).second, "a claim given twice", one.run);
    if (one.what == "printed") weigh_line(one);
    if (one.what == "ended") weigh_end(of, one);
    if (one.what == "released") weigh_release(of, one);
  }

  void weigh_line(deed const& one) {
    bool const shown = visible_.contains({one.claim, one.said});
    if (one.answer == 200) expect(shown, "accepted output is missing", one.run);
    if (one.answer == 409) expect(!shown, "refused output is visible", one.run);
    expect_answer(one, 200);
  }

  void weigh_end(life const& of, deed const& one) {
    bool const counts = of.ended_by == one.claim && of.status == one.said;
    if (one.answer == 204) expect(counts, "a stale result was accepted", one.run);
    if (one.answer == 409) {
      expect(!counts, "a result that counts was refused", one.run);
      ++out_.stale_refused;
    }
    expect_answer(one, 204);
  }

  void weigh_release(life const& of, deed const& one) {
    if (one.answer == 204)
      expect(of.given_back.contains(one.claim) || (of.ended_by == one.claim && of.status == "cancelled"),
             "a stale claim was handed back", one.run);
    expect_answer(one, 204);
  }

  /// With 0 and 503 the runner learnt nothing.
  void expect_answer(deed const& one, int good) {
    expect(one.answer == good || one.answer == 409 || one.answer == 503 || one.answer == 0,
           one.what + ": " + std::to_string(one.answer), one.run);
  }

  campaign_facts const& of_;
  campaign_verdict out_{};
  std::set<std::tuple<std::string, std::string, std::string>> said_{};
  std::map<std::string, life> lives_{};
  std::map<std::string, last_state const*> rows_{};
  std::set<std::string> claims_{}, received_{};
  std::set<std::string> unheard_{};  ///< runs with lines that may not have been accepted
  std::set<std::string> heard_{};    ///< claims with lines that were accepted
  std::set<std::pair<std::string, std::string>> visible_{};
  std::int64_t limited_ = 0;
};

}  // namespace

campaign_verdict judge(campaign_facts const& of) {
  return campaign_check(of)();
}

std::string campaign_verdict::text() const {
  std::ostringstream out;
  out << claims << " claims, " << answers_lost << " of them never heard of, " << claims_lost << " lost, "
      << handed_back << " handed back, " << taken_back << " taken back; " << stale_refused
      << " stale results refused; ends:";
  for (auto const& [status, count] : ends) out << " " << status << " " << count;
  for (auto const& [what, runs] : broken)
    out << "\nBROKEN: " << what << ": " << runs.size() << " runs, one is " << *runs.begin();
  return out.str();
}

std::string story_of(campaign_facts const& facts, std::string const& run) {
  std::ostringstream out;
  for (auto const& one : facts.history)
    if (one.run == run)
      out << "\n  " << one.from << " -> " << one.to << ", attempt " << one.attempt << ", lost " << one.lost
          << ", claim " << one.held << " -> " << one.holds;
  for (auto const& one : facts.deeds)
    if (one.run == run) out << "\n  " << to_line(one).substr(0, to_line(one).size() - 1);
  for (auto const& one : facts.rows)
    if (one.run == run)
      out << "\n  " << one.status << ", " << one.ends_in_stream << " ends in its stream, at last "
          << one.last_in_stream << "; output:\n"
          << one.output;
  return out.str();
}

}  // namespace svc::test
