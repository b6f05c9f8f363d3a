// Our own raw requests and those of the public corpora against only the guards and the target parser: whole, and in
// two pieces, cut at every byte.
#include "border/corpora.hpp"
#include "border/parsers.hpp"
#include "border/raw_case.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace svc::test;

namespace {

/// Every byte of what a session would hold at once; in large ones at a prime distance.
std::size_t step_of(std::string const& bytes) {
  return bytes.size() > 4096 ? 251 : 1;
}

void check_parsers_at_every_cut(std::string const& bytes, std::string const& whole) {
  for (std::size_t cut = 1; cut < bytes.size(); cut += step_of(bytes)) REQUIRE(play_parsers(bytes, cut) == whole);
}

std::vector<std::string> split(std::string const& text, char address) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, address);) out.push_back(word);
  return out;
}

/// True if the parsers' view can lead to the answers that the case expects. The parsers do not decide about a whole
/// message (401, 404, 405).
bool fits(std::string const& seen, std::string const& expected) {
  auto answers = split(expected, ' ');
  bool const closes = answers.back() == "close";
  if (closes) answers.pop_back();
  std::size_t i = 0;
  for (auto const& subject : split(seen, ',')) {
    if (subject == "more") return closes;
    if (subject == "closed") return closes && i == answers.size();
    if (i == answers.size()) return closes;  // the service closed before it saw this
    auto const& answer = answers[i++];
    // A body that nobody reads is refused after the answer to a stranger.
    if (subject.starts_with("refused"))
      return closes && i == answers.size() && (subject.ends_with(answer) || answer == "401");
    if (subject == "target" && answer != "400") return false;
  }
  return i == answers.size();
}

}  // namespace

TEST_CASE("raw cases: as many as promised, each with a unique name in its table and a section") {
  auto const cases = all_raw_cases();
  CHECK(cases.size() >= 250);
  for (auto const& c : cases) {
    INFO(c.name);
    CHECK_FALSE(c.name.empty());
    CHECK_FALSE(c.expected.empty());
    CHECK_FALSE(c.section.empty());
  }
}

TEST_CASE("raw cases: the parsers agree, however the bytes are cut") {
  for (auto const& c : all_raw_cases()) {
    auto const bytes = with_token(c.bytes, "svc_live_0123456789");
    auto const whole = play_parsers(bytes, 0);
    INFO(c.name << ": parsers say " << whole << ", expected " << c.expected);
    CHECK(fits(whole, c.expected));
    check_parsers_at_every_cut(bytes, whole);
  }
}

TEST_CASE("raw cases: the corpora") {
  auto const directory = corpora_directory("the raw requests were");
  if (!directory) return;
  std::size_t played = 0, refused = 0;
  std::set<std::string> own;
  for (auto const& c : described_cases()) own.insert(c.name);
  for (std::string const file : {"rfc9112_cases.json", "te_cl_mutations.json"}) {
    for (auto const& c : http_corpus(*directory, file)) {
      INFO(c.id);
      if (c.bytes.empty()) {
        CHECK(own.contains(c.id));
        continue;
      }
      auto const whole = play_parsers(c.bytes, 0);
      bool const is_refused = whole.find("refused") != whole.npos;
      ++played;
      refused += is_refused ? 1 : 0;
      if (c.expected == "Exact(400)") CHECK((whole == "refused 400" || whole == "target"));
      if (c.expected == "reject") CHECK(is_refused == !harmless_mutations.contains(c.id));
      check_parsers_at_every_cut(c.bytes, whole);
    }
  }
  CHECK(played > 1900);
  CHECK(refused > 1800);
}
