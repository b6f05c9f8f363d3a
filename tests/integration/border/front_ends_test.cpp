// Front ends may see a request differently than the service. For any input, the service must see exactly the requests
// that they passed on. The ids prove this: a front end gives an id to each request that it passes on. The service's
// log has the id of each request that it saw. A second request hidden in a body breaks this pairing, and so does a
// body that ends too late and swallows the next head. The reason is that all requests of a front end share a few
// persistent connections.
#include "border/corpora.hpp"
#include "integration/border/border_fixture.hpp"
#include "integration/border/front_end.hpp"
#include "support/https_client.hpp"
#include "svc/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <thread>

namespace svc::test {
namespace {

/// A line of the service's log.
struct seen_request {
  std::string id, method;
  int status;
  bool readable;  ///< false: the head was refused, and its own id is unknown
};

/// Returns the requests that the service logged after the first `first` bytes.
std::vector<seen_request> seen_since(std::size_t first) {
  std::vector<seen_request> out;
  std::istringstream words(border().instances().process(0).err().text().substr(first));
  for (std::string text; std::getline(words, text);) {
    bool const readable = text.find("\"request\"") != text.npos;
    if (!readable && text.find("\"refused head\"") == text.npos) continue;
    auto const line = boost::json::parse(text).as_object();
    out.push_back({std::string(line.at("requestId").as_string()),
                   readable ? std::string(line.at("method").as_string()) : "",
                   static_cast<int>(line.at("status").as_int64()), readable});
  }
  return out;
}

/// Returns the size of the service's log once it contains all requests answered so far; its lines are in the order of
/// writing.
std::size_t logged_so_far() {
  std::string const marker = "front-ends-" + svc::random_alphanumeric(16);
  support::https_client client("https://" + border().address(), border().instances().text("caFile"));
  REQUIRE(client.request("GET", "/livez", {{"X-Request-Id", marker}}).header("X-Request-Id") == marker);
  auto const& process = border().instances().process(0);
  process.wait_error_line(marker);
  return process.err().text().size();
}

/// Compares both sides' logs of the same requests, and reports differences.
class pairing {
 public:
  pairing(std::vector<forwarded> const& by_front, std::vector<seen_request> const& by_service) {
    for (auto const& f : by_front) add(f);
    for (auto const& s : by_service) match(s);
    // Each answer that the front end got must be one that the service gave to this very request.
    for (auto const& [id, f] : sent_)
      if (f.answered != "-" && !claimed_.contains(f.answered)) say("an answer from nowhere: " + id);
    if (unclaimed_refusals_ > unanswered())
      say(std::to_string(unclaimed_refusals_) + " refused heads that nobody sent");
    if (by_service.size() > sent_.size()) say("more requests seen than sent");
  }

  std::string const& complaints() const { return complaints_; }
  std::size_t sent() const { return sent_.size(); }
  std::size_t kept_back() const { return kept_back_; }
  std::size_t unanswered() const {
    return static_cast<std::size_t>(
        std::count_if(sent_.begin(), sent_.end(), [](auto const& s) { return s.second.answered == "-"; }));
  }
  /// Like `unanswered`, except for requests whose client has its answers and has left; nginx then gives them up, too.
  std::size_t given_up() const {
    return static_cast<std::size_t>(std::count_if(
        sent_.begin(), sent_.end(), [](auto const& s) { return s.second.answered == "-" && !s.second.client_left; }));
  }

 private:
  void add(forwarded const& f) {
    if (!f.sent) {
      ++kept_back_;
      return;
    }
    if (!sent_.emplace(f.id, f).second) say("an id twice: " + f.id);
    if (f.answered != "-") answers_.emplace(f.answered, f.id);
  }

  /// An unknown method may be anything, even a token, so the service's log never contains it.
  static std::string logged(std::string const& method) {
    static std::set<std::string> const known{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    return known.contains(method) ? method : "OTHER";
  }

  void match(seen_request const& s) {
    if (!claimed_.insert(s.id).second) say("seen twice: " + s.id);
    if (!s.readable) {
      unclaimed_refusals_ += answers_.contains(s.id) ? 0 : 1;
      return;
    }
    auto const found = sent_.find(s.id);
    if (found == sent_.end())
      return say("never sent: " + s.method + " " + s.id + ", answered " + std::to_string(s.status));
    auto const& f = found->second;
    if (logged(f.method) != s.method) say("another method: " + f.method + ", " + s.method);
    if (f.answered != "-" && (f.answered != f.id || f.status != std::to_string(s.status)))
      say("another's answer: " + f.id + " got " + f.answered);
  }

  void say(std::string const& subject) {
    if (complaints_.size() < 2000) complaints_ += subject + "\n";
  }

  std::map<std::string, forwarded> sent_;       ///< requests by id
  std::map<std::string, std::string> answers_;  ///< the id in an answer, and the request that got it
  std::set<std::string> claimed_;               ///< ids in the service's log
  std::size_t kept_back_ = 0, unclaimed_refusals_ = 0;
  std::string complaints_;
};

/// Returns our own cases, also after a good request, and the corpora.
std::vector<std::string> everything() {
  std::vector<std::string> out;
  for (auto const& c : all_raw_cases()) {
    out.push_back(with_token(c.bytes, border().token()));
    out.push_back(get("") + out.back());
  }
  if (auto const directory = corpora_directory("corpora behind front ends")) {
    for (std::string const file : {"rfc9112_cases.json", "te_cl_mutations.json"})
      for (auto const& c : http_corpus(*directory, file)) out.push_back(c.bytes);
  }
  return out;
}

void play_behind(front_end::program which, bool lax, std::string const& name) {
  CAPTURE(name);
  REQUIRE_MESSAGE(front_end::installed(which), "missing: tools/install_dependencies.sh installs it");
  auto const cases = everything();
  auto const before = logged_so_far();
  front_end front(which, lax, border().address(), border().instances().text("caFile"));
  raw_player clients(front.address(), raw_player::security::plain, 200);
  auto const begun = std::chrono::steady_clock::now();
  std::size_t unended = 0;
  clients.play(
      cases.size(),
      [&](std::size_t i) {
        return raw_exchange{
            .writes = {cases[i]}, .probe = get("X-Last: yes\r\n"), .probe_id = "HTTP/1.1", .answers = 1};
      },
      [&](std::size_t, raw_outcome const& got) { unended += got.closed || got.probed ? 0 : 1; });
  // The last lines of both logs may still be on their way.
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (;;) {
    pairing const pairs(front.log(), seen_since(before));
    bool const late = std::chrono::steady_clock::now() > until;
    if (!pairs.complaints().empty() && !late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    CHECK(pairs.complaints() == "");
    CHECK(pairs.sent() > 100);
    CHECK(pairs.given_up() < pairs.sent() / 10);
    CHECK(unended == 0);
    auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
    std::printf("%s: %zu exchanges, %zu requests passed on, %zu kept back, %zu unanswered, %lld ms\n", name.c_str(),
                cases.size(), pairs.sent(), pairs.kept_back(), pairs.unanswered(),
                static_cast<long long>(took.count()));
    return;
  }
}

}  // namespace

TEST_CASE("through front ends the service sees exactly the requests that they passed on") {
  play_behind(front_end::program::haproxy, false, "HAProxy");
  play_behind(front_end::program::haproxy, true, "HAProxy that takes invalid requests");
  play_behind(front_end::program::nginx, false, "nginx");
  play_behind(front_end::program::nginx, true, "nginx that takes what it can and streams bodies");
}

TEST_CASE("the pairing of front end and service detects smuggled requests") {
  forwarded const a{"a", true, "200", "a", "GET"}, b{"b", true, "400", "r", "GET"}, c{"c", true, "-", "-", "GET"};
  seen_request const sa{"a", "GET", 200, true}, refused{"r", "", 400, false};
  CHECK(pairing({a, b, c}, {sa, refused}).complaints() == "");
  struct {
    std::string name;
    std::vector<forwarded> front;
    std::vector<seen_request> service;
  } const cases[] = {
      {"a request more", {a}, {sa, {"x", "GET", 200, true}}},
      {"a refused head more", {a}, {sa, refused}},
      {"one seen twice", {a, c}, {sa, sa}},
      {"another's answer", {{"a", true, "200", "b", "GET"}, b}, {sa, {"b", "GET", 200, true}}},
      {"another method", {a}, {{"a", "POST", 200, true}}},
      {"kept back but seen", {{"a", false, "-", "-", "GET"}}, {sa}},
      {"an answer from nowhere", {a, {"d", true, "200", "d", "GET"}}, {sa}},
  };
  for (auto const& k : cases) {
    INFO(k.name);
    CHECK(pairing(k.front, k.service).complaints() != "");
  }
}

}  // namespace svc::test
