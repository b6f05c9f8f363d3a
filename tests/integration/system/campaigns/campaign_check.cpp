#include "campaign_check.hpp"

#include <sstream>
#include <tuple>

namespace svc::test {
namespace {

/// The service's line for a gap, where a runner has reported more lines than it sent.
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
  explicit campaign_check(campaign_facts const& facts) : facts_(facts) {
    for (auto const& entry : facts.deeds) {
      said_.emplace(entry.subject, entry.claim, entry.said);
      if (entry.subject == "printed" && entry.answer != 200) unheard_.insert(entry.run);
      if (entry.subject == "printed" && entry.answer == 200) heard_.insert(entry.claim);
    }
  }

  campaign_verdict operator()() {
    for (auto const& run : facts_.acknowledged) lives_[run];
    for (auto const& transition : facts_.history) follow(transition);
    for (auto const& state : facts_.rows) compare(state);
    for (auto const& run : facts_.acknowledged)
      if (!rows_.contains(run)) blame("lost", run);
    for (auto const& entry : facts_.deeds) aggregate(entry);
    out_.answers_lost = out_.claims - out_.taken_back - static_cast<int>(received_.size());
    return std::move(out_);
  }

 private:
  void blame(std::string const& subject, std::string const& run) { out_.broken[subject].insert(run); }
  void expect(bool holds, std::string const& subject, std::string const& run) {
    if (!holds) blame(subject, run);
  }
  bool asked(std::string const& subject, std::string const& claim, std::string const& said = "-") const {
    return said_.contains({subject, claim, said});
  }

  void follow(transition const& transition) {
    expect(facts_.acknowledged.contains(transition.run), "a run that nobody made", transition.run);
    life& life = lives_[transition.run];
    expect(!is_over(life.status), "changed after its end", transition.run);
    expect(transition.source == life.status, "a hole in the history", transition.run);
    if (transition.out == "running")
      take(life, transition);
    else
      leave(life, transition);
    life.status = transition.out;
    life.lost = transition.lost;
    life.completed = transition.completed;
  }

  void take(life& life, transition const& transition) {
    expect(transition.source == "queued", "claimed while it was not queued", transition.run);
    expect(transition.attempt == life.attempt + 1, "attempts are not the claims", transition.run);
    expect(transition.lost == life.lost, "a claim counted as lost", transition.run);
    expect(!transition.holds.empty() && claims_.insert(transition.holds).second, "a claim id twice", transition.run);
    life.attempt = transition.attempt;
    life.claim = life.claims[transition.attempt] = transition.holds;
    ++out_.claims;
    if (facts_.limited.contains(transition.run))
      expect(++limited_ <= facts_.limit, "more at a time than the job allows", transition.run);
  }

  void leave(life& life, transition const& transition) {
    // The service took the run back before its runner, which is gone, learnt of the claim.
    if (transition.out == "queued" && transition.attempt == life.attempt - 1) return take_back(life, transition);
    expect(transition.attempt == life.attempt, "attempts are not the claims", transition.run);
    if (life.status == "running" && facts_.limited.contains(transition.run)) --limited_;
    bool const lost = transition.lost == life.lost + 1;
    expect(lost || transition.lost == life.lost, "a claim lost more than once", transition.run);
    if (lost) ++out_.claims_lost;
    if (transition.out == "queued")
      requeue(life, transition, lost);
    else
      end(life, transition, lost);
    life.claim.clear();
  }

  /// The history does not know such a claim, so reports of a runner under it count as "that the history does not
  /// know".
  void take_back(life& life, transition const& transition) {
    if (facts_.limited.contains(transition.run)) --limited_;
    expect(transition.source == "running", "queued again while it was not running", transition.run);
    expect(transition.holds.empty(), "a queued run is claimed", transition.run);
    expect(transition.lost == life.lost, "a claim counted as lost", transition.run);
    life.claims.erase(life.attempt);
    life.attempt = transition.attempt;
    life.claim.clear();
    ++out_.taken_back;
  }

  void requeue(life& life, transition const& transition, bool lost) {
    expect(transition.source == "running", "queued again while it was not running", transition.run);
    expect(transition.holds.empty(), "a queued run is claimed", transition.run);
    if (lost) return expect(transition.lost <= facts_.retries, "more attempts than configured", transition.run);
    expect(asked("releases", life.claim), "handed back by nobody", transition.run);
    life.given_back.insert(life.claim);
    ++out_.handed_back;
  }

  void end(life& life, transition const& transition, bool lost) {
    expect(!transition.completed.empty(), "an end without its time", transition.run);
    if (transition.out == "cancelled") {
      expect(facts_.cancels.contains(transition.run), "cancelled by nobody", transition.run);
      bool const reported = asked("ends", life.claim, "cancelled") || asked("releases", life.claim);
      expect(transition.source == "queued" || lost || reported, "a result that nobody told", transition.run);
    } else if (transition.out == "error") {
      expect(lost && transition.lost == facts_.retries + 1, "given up before its attempts were used up",
             transition.run);
    } else {
      expect(transition.source == "running" && !lost && transition.holds == life.claim, "ended by another claim",
             transition.run);
      expect(asked("ends", life.claim, transition.out), "a result that nobody told", transition.run);
    }
    // This also holds for a claim that was handed back during its cancellation.
    if (transition.out != "error" && !lost) life.ended_by = life.claim;
    ++out_.ends[transition.out];
  }

  void compare(last_state const& row) {
    expect(rows_.emplace(row.run, &row).second, "two rows", row.run);
    expect(facts_.acknowledged.contains(row.run), "a run that nobody made", row.run);
    life const& life = lives_[row.run];
    expect(is_over(row.status), "not ended", row.run);
    expect(row.status == life.status && row.completed == life.completed, "ended unseen", row.run);
    expect(row.attempt == life.attempt && row.lost == life.lost, "attempts are not the claims", row.run);
    // A run that was never claimed has no stream.
    bool const reported = row.ends_in_stream == 1 && row.last_in_stream == row.status;
    expect(reported || (row.attempt == 0 && row.ends_in_stream == 0), "its stream tells another end", row.run);
    read(row, life);
  }

  /// Checks line by line: the attempts in order, each line from the claim that held the run in that attempt.
  void read(last_state const& row, life const& life) {
    std::istringstream lines(row.output);
    std::pair<std::int64_t, std::int64_t> before{0, 0};
    for (std::string line; std::getline(lines, line);) {
      if (line == gap) {
        // The output of a first attempt is unknown if not even its start reached Redis.
        auto const first = life.claims.find(1);
        bool const uncertain = before.first == 0 && first != life.claims.end() && !heard_.contains(first->second);
        expect(uncertain || unheard_.contains(row.run), "output is missing", row.run);
        continue;
      }
      std::istringstream words(line);
      std::int64_t attempt = 0;
      std::string number, claim;
      words >> attempt >> number >> claim;
      auto const held = life.claims.find(attempt);
      bool const known = held != life.claims.end() && held->second == claim && asked("prints", claim, number);
      expect(known, "output of another claim", row.run);
      if (!known) continue;
      std::pair<std::int64_t, std::int64_t> const position{attempt, std::stoll(number)};
      expect(position > before, "output out of order", row.run);
      before = position;
      visible_.insert({claim, number});
    }
  }

  void aggregate(deed const& entry) {
    auto const found = lives_.find(entry.run);
    if (found == lives_.end()) return blame("a run that nobody made", entry.run);
    life const& life = found->second;
    auto const held = life.claims.find(entry.attempt);
    expect(held != life.claims.end() && held->second == entry.claim, "a claim that the history does not know",
           entry.run);
    if (entry.subject == "claimed") expect(received_.insert(entry.claim).second, "a claim given twice", entry.run);
    if (entry.subject == "printed") check_line(entry);
    if (entry.subject == "ended") check_end_of(life, entry);
    if (entry.subject == "released") check_release(life, entry);
  }

  void check_line(deed const& entry) {
    bool const shown = visible_.contains({entry.claim, entry.said});
    if (entry.answer == 200) expect(shown, "accepted output is missing", entry.run);
    if (entry.answer == 409) expect(!shown, "refused output is visible", entry.run);
    expect_answer(entry, 200);
  }

  void check_end_of(life const& life, deed const& entry) {
    bool const counts = life.ended_by == entry.claim && life.status == entry.said;
    if (entry.answer == 204) expect(counts, "a stale result was accepted", entry.run);
    if (entry.answer == 409) {
      expect(!counts, "a result that counts was refused", entry.run);
      ++out_.stale_refused;
    }
    expect_answer(entry, 204);
  }

  void check_release(life const& life, deed const& entry) {
    if (entry.answer == 204)
      expect(life.given_back.contains(entry.claim) || (life.ended_by == entry.claim && life.status == "cancelled"),
             "a stale claim was handed back", entry.run);
    expect_answer(entry, 204);
  }

  /// With 0 and 503 the runner learnt nothing.
  void expect_answer(deed const& entry, int good) {
    expect(entry.answer == good || entry.answer == 409 || entry.answer == 503 || entry.answer == 0,
           entry.subject + ": " + std::to_string(entry.answer), entry.run);
  }

  campaign_facts const& facts_;
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

campaign_verdict evaluate(campaign_facts const& facts) {
  return campaign_check(facts)();
}

std::string campaign_verdict::text() const {
  std::ostringstream out;
  out << claims << " claims, " << answers_lost << " of them never heard of, " << claims_lost << " lost, "
      << handed_back << " handed back, " << taken_back << " taken back; " << stale_refused
      << " stale results refused; ends:";
  for (auto const& [status, count] : ends) out << " " << status << " " << count;
  for (auto const& [content, runs] : broken)
    out << "\nBROKEN: " << content << ": " << runs.size() << " runs, one is " << *runs.begin();
  return out.str();
}

std::string story_of(campaign_facts const& facts, std::string const& run) {
  std::ostringstream out;
  for (auto const& transition : facts.history)
    if (transition.run == run)
      out << "\n  " << transition.source << " -> " << transition.out << ", attempt " << transition.attempt
          << ", lost " << transition.lost << ", claim " << transition.held << " -> " << transition.holds;
  for (auto const& entry : facts.deeds)
    if (entry.run == run) out << "\n  " << to_line(entry).substr(0, to_line(entry).size() - 1);
  for (auto const& state : facts.rows)
    if (state.run == run)
      out << "\n  " << state.status << ", " << state.ends_in_stream << " ends in its stream, at last "
          << state.last_in_stream << "; output:\n"
          << state.output;
  return out.str();
}

}  // namespace svc::test
