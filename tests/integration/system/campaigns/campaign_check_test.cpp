// The campaign's check sees each kind of broken promise: correct facts, with one forged.
#include "campaign_check.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace svc::test {
namespace {

/// `a` passes at once; `b` is lost once, then fails; `c` is lost twice and given up; `d` is handed back, then
/// cancelled while it runs; `e` is cancelled while it is queued; `f` is claimed for a runner that is gone, taken
/// back, then passes.
campaign_facts good() {
  campaign_facts f;
  f.acknowledged = {"a", "b", "c", "d", "e", "f"};
  f.cancels = {"d", "e"};
  f.limited = {"c", "d"};
  f.limit = 1;
  f.history = {
      {"a", "queued", "running", 1, 0, "", "a1", ""},        {"b", "queued", "running", 1, 0, "", "b1", ""},
      {"a", "running", "passed", 1, 0, "a1", "a1", "ta"},    {"c", "queued", "running", 1, 0, "", "c1", ""},
      {"b", "running", "queued", 1, 1, "b1", "", ""},        {"c", "running", "queued", 1, 1, "c1", "", ""},
      {"b", "queued", "running", 2, 1, "", "b2", ""},        {"c", "queued", "running", 2, 1, "", "c2", ""},
      {"b", "running", "failed", 2, 1, "b2", "b2", "tb"},    {"c", "running", "error", 2, 2, "c2", "", "tc"},
      {"d", "queued", "running", 1, 0, "", "d1", ""},        {"d", "running", "queued", 1, 0, "d1", "", ""},
      {"d", "queued", "running", 2, 0, "", "d2", ""},        {"e", "queued", "cancelled", 0, 0, "", "", "te"},
      {"d", "running", "cancelled", 2, 0, "d2", "d2", "td"}, {"f", "queued", "running", 1, 0, "", "f0", ""},
      {"f", "running", "queued", 0, 0, "f0", "", ""},        {"f", "queued", "running", 1, 0, "", "f1", ""},
      {"f", "running", "passed", 1, 0, "f1", "f1", "tf"},
  };
  f.rows = {
      {"a", "passed", "a1", "ta", 1, 0, "1 1 a1\n", 1, "passed"},
      {"b", "failed", "b2", "tb", 2, 1, "1 1 b1\n2 1 b2\n", 1, "failed"},
      {"c", "error", "", "tc", 2, 2, "", 1, "error"},
      {"d", "cancelled", "d2", "td", 2, 0, "", 1, "cancelled"},
      {"e", "cancelled", "", "te", 0, 0, "", 1, "cancelled"},
      {"f", "passed", "f1", "tf", 1, 0, "", 1, "passed"},
  };
  f.deeds = {
      {"claimed", "a", "a1", 1},
      {"prints", "a", "a1", 1, "1"},
      {"printed", "a", "a1", 1, "1", 200},
      {"ends", "a", "a1", 1, "passed"},
      {"ended", "a", "a1", 1, "passed", 204},
      {"claimed", "b", "b1", 1},
      {"prints", "b", "b1", 1, "1"},
      {"claimed", "b", "b2", 2},
      {"prints", "b", "b2", 2, "1"},
      {"printed", "b", "b2", 2, "1", 200},
      {"ends", "b", "b2", 2, "failed"},
      {"ended", "b", "b2", 2, "failed", 0},
      // The claim that was thought to be lost.
      {"prints", "b", "b1", 1, "2"},
      {"printed", "b", "b1", 1, "2", 409},
      {"ends", "b", "b1", 1, "passed"},
      {"ended", "b", "b1", 1, "passed", 409},
      {"claimed", "c", "c1", 1},
      {"claimed", "d", "d1", 1},
      {"releases", "d", "d1", 1},
      {"released", "d", "d1", 1, "-", 204},
      {"claimed", "d", "d2", 2},
      {"ends", "d", "d2", 2, "cancelled"},
      {"ended", "d", "d2", 2, "cancelled", 204},
      {"claimed", "f", "f1", 1},
      {"ends", "f", "f1", 1, "passed"},
      {"ended", "f", "f1", 1, "passed", 204},
  };
  return f;
}

TEST_CASE("the campaign's check accepts correct facts") {
  auto const verdict = evaluate(good());
  CHECK_MESSAGE(verdict.broken.empty(), verdict.text());
  CHECK(verdict.claims == 9);
  CHECK(verdict.answers_lost == 1);
  CHECK(verdict.claims_lost == 3);
  CHECK(verdict.handed_back == 1);
  CHECK(verdict.taken_back == 1);
  CHECK(verdict.stale_refused == 1);
  CHECK(verdict.ends == std::map<std::string, int>{{"passed", 2}, {"failed", 1}, {"error", 1}, {"cancelled", 2}});
}

struct forgery {
  char const* expected;
  char const* run;
  std::function<void(campaign_facts&)> make;
};

transition& change_of(campaign_facts& f, std::string const& run, std::string const& out) {
  for (auto& transition : f.history)
    if (transition.run == run && transition.out == out) return transition;
  throw std::logic_error("no such transition");
}

deed& deed_of(campaign_facts& f, std::string const& subject, std::string const& claim) {
  for (auto& entry : f.deeds)
    if (entry.subject == subject && entry.claim == claim) return entry;
  throw std::logic_error("no such deed");
}

forgery const forgeries[] = {
    {"lost", "a", [](campaign_facts& f) { f.rows.erase(f.rows.begin()); }},
    {"not ended", "a", [](campaign_facts& f) { f.rows[0].status = "running"; }},
    {"two rows", "a", [](campaign_facts& f) { f.rows.push_back(f.rows[0]); }},
    {"a run that nobody made", "x", [](campaign_facts& f) { f.rows.push_back({"x", "passed", "x1", "t"}); }},
    {"changed after its end", "a",
     [](campaign_facts& f) { f.history.push_back({"a", "passed", "passed", 1, 0, "a1", "a1", "later"}); }},
    {"changed after its end", "a",
     [](campaign_facts& f) { f.history.push_back({"a", "passed", "running", 2, 0, "", "a2", ""}); }},
    {"a hole in the history", "b", [](campaign_facts& f) { change_of(f, "b", "failed").source = "queued"; }},
    {"claimed while it was not queued", "b",
     [](campaign_facts& f) {
       std::erase_if(f.history, [](auto& t) { return t.run == "b" && t.out == "queued"; });
       f.history[5].source = "running";
     }},
    {"attempts are not the claims", "a", [](campaign_facts& f) { change_of(f, "a", "running").attempt = 2; }},
    {"attempts are not the claims", "b", [](campaign_facts& f) { f.rows[1].attempt = 1; }},
    {"attempts are not the claims", "b", [](campaign_facts& f) { change_of(f, "b", "failed").attempt = 3; }},
    {"a claim counted as lost", "d", [](campaign_facts& f) { change_of(f, "d", "running").lost = 1; }},
    {"a claim lost more than once", "b", [](campaign_facts& f) { change_of(f, "b", "queued").lost = 2; }},
    {"a claim id twice", "b", [](campaign_facts& f) { f.history[6].holds = "b1"; }},
    {"more attempts than configured", "b", [](campaign_facts& f) { f.retries = 0; }},
    {"given up before its attempts were used up", "c", [](campaign_facts& f) { f.retries = 2; }},
    {"handed back by nobody", "d",
     [](campaign_facts& f) { std::erase_if(f.deeds, [](auto& d) { return d.subject == "releases"; }); }},
    {"a claim that the history does not know", "f",
     [](campaign_facts& f) { f.deeds.push_back({"claimed", "f", "f0", 1}); }},
    {"a claim that the history does not know", "f",
     [](campaign_facts& f) { f.deeds.push_back({"printed", "f", "f0", 1, "1", 503}); }},
    {"a claim counted as lost", "f", [](campaign_facts& f) { change_of(f, "f", "queued").lost = 1; }},
    {"a queued run is claimed", "f", [](campaign_facts& f) { change_of(f, "f", "queued").holds = "f0"; }},
    {"attempts are not the claims", "d", [](campaign_facts& f) { change_of(f, "d", "queued").attempt = 2; }},
    {"a queued run is claimed", "b", [](campaign_facts& f) { change_of(f, "b", "queued").holds = "b1"; }},
    {"an end without its time", "a", [](campaign_facts& f) { change_of(f, "a", "passed").completed = ""; }},
    {"ended by another claim", "b", [](campaign_facts& f) { change_of(f, "b", "failed").holds = "b1"; }},
    {"a result that nobody told", "a", [](campaign_facts& f) { deed_of(f, "ends", "a1").said = "failed"; }},
    {"a result that nobody told", "d",
     [](campaign_facts& f) { std::erase_if(f.deeds, [](auto& d) { return d.subject == "ends" && d.run == "d"; }); }},
    {"cancelled by nobody", "e", [](campaign_facts& f) { f.cancels.erase("e"); }},
    {"ended unseen", "a", [](campaign_facts& f) { f.rows[0].completed = "later"; }},
    {"its stream tells another end", "a", [](campaign_facts& f) { f.rows[0].ends_in_stream = 2; }},
    {"its stream tells another end", "b", [](campaign_facts& f) { f.rows[1].last_in_stream = "passed"; }},
    {"more at a time than the job allows", "c", [](campaign_facts& f) { f.limit = 0; }},
    {"more at a time than the job allows", "c", [](campaign_facts& f) { f.limited.insert("b"); }},
    {"output of another claim", "b", [](campaign_facts& f) { f.rows[1].output = "2 1 b1\n"; }},
    {"output of another claim", "b", [](campaign_facts& f) { f.rows[1].output += "2 2 b2\n"; }},
    {"output out of order", "b", [](campaign_facts& f) { f.rows[1].output = "2 1 b2\n1 1 b1\n"; }},
    {"output out of order", "b", [](campaign_facts& f) { f.rows[1].output += "2 1 b2\n"; }},
    {"output is missing", "a", [](campaign_facts& f) { f.rows[0].output += "[output is missing here]\n"; }},
    {"output is missing", "c",
     [](campaign_facts& f) {
       f.rows[2].output = "1 1 c1\n[output is missing here]\n";
       f.deeds.push_back({"prints", "c", "c1", 1, "1"});
     }},
    {"its stream tells another end", "e", [](campaign_facts& f) { f.rows[4].last_in_stream = "passed"; }},
    {"its stream tells another end", "d", [](campaign_facts& f) { f.rows[3].ends_in_stream = 0; }},
    {"accepted output is missing", "a", [](campaign_facts& f) { f.rows[0].output.clear(); }},
    {"refused output is visible", "b", [](campaign_facts& f) { f.rows[1].output = "1 1 b1\n1 2 b1\n2 1 b2\n"; }},
    {"a claim that the history does not know", "a",
     [](campaign_facts& f) { deed_of(f, "claimed", "a1").attempt = 2; }},
    {"a claim given twice", "a", [](campaign_facts& f) { f.deeds.push_back({"claimed", "a", "a1", 1}); }},
    {"a stale result was accepted", "b", [](campaign_facts& f) { deed_of(f, "ended", "b1").answer = 204; }},
    {"a result that counts was refused", "b", [](campaign_facts& f) { deed_of(f, "ended", "b2").answer = 409; }},
    {"a stale claim was handed back", "c",
     [](campaign_facts& f) { f.deeds.push_back({"released", "c", "c1", 1, "-", 204}); }},
    {"ended: 500", "b", [](campaign_facts& f) { deed_of(f, "ended", "b1").answer = 500; }},
};

TEST_CASE("the campaign's check sees each forgery") {
  for (auto const& forgery : forgeries) {
    CAPTURE(std::string(forgery.expected));
    auto facts = good();
    forgery.make(facts);
    auto const verdict = evaluate(facts);
    auto const found = verdict.broken.find(forgery.expected);
    REQUIRE_MESSAGE(found != verdict.broken.end(), verdict.text());
    CHECK(found->second.contains(forgery.run));
  }
}

}  // namespace
}  // namespace svc::test
