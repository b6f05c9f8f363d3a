// Public corpora against the running service over TLS, 32 connections at a time.
#include "border/corpora.hpp"
#include "integration/border/border_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace svc::test {
namespace {

/// An outcome that is not one request and one answer, but still correct.
struct deviation {
  std::string outcome, reason;
};
std::map<std::string, deviation> const deviations = {
    {"GARDEN-48 Pipelined requests in the initial request buffer are interpreted as th",
     {"401 401 400 close", "two requests, then five bytes more than the second announces"}},
    {"GARDEN-73 Sending an extra byte after a request with a chunked message body cras",
     {"401 400 close", "a whole request, then a byte that begins none"}},
    {"COMP-POST-CL-UNDERSEND", {"401 400 close", "its body is short, and takes the first bytes of the next request"}},
    {"MAL-POST-CL-HUGE-NO-BODY", {"401 close", "well-formed: a stranger hears 401, and such a body is not dropped"}},
    {"COMP-NO-1XX-HTTP10", {"401 close", "well-formed: HTTP/1.0 is answered once and closed"}},
    {"COMP-405-ALLOW", {"401", "well-formed: a stranger hears 401 before 405"}},
    {"COMP-UNKNOWN-METHOD", {"401", "well-formed: a stranger hears 401 before 501"}},
    {"COMP-DATE-FORMAT", {"401", "well-formed: any answer has the Date that it wants to see"}},
};

bool refusal(int status) {
  return (status >= 400 && status < 500) || status == 501 || status == 505;
}

/// The corpora know no token. A 401 means that the head was understood, but the body was not read: when the body is
/// bad, the connection ends after the answer. So a message counts as accepted when its head got 401, or when the
/// connection then serves another request.
std::string complaint(corpus_case const& c, raw_outcome const& got) {
  if (auto const found = deviations.find(c.id); found != deviations.end())
    return got.text() == found->second.outcome ? "" : "got " + got.text() + ", expected " + found->second.outcome;
  if (!got.closed && !got.probed) return "not ended: " + got.text();
  if (got.statuses.size() > (got.probed ? 2 : 1)) return "more than one answer: " + got.text();
  for (auto const status : got.statuses)
    if (status < 200) return "no HTTP: " + got.received;
  // "2xx" among the outcomes that the corpus accepts: it is harmless, whatever the answer.
  bool const harmless = harmless_mutations.contains(c.id);
  if (harmless) return got.probed ? "" : "not served: " + got.text();
  if (c.expected != "reject" && c.expected.find("2") != c.expected.npos) return {};
  if (c.expected.empty() || c.expected[0] == '!') return {};
  auto const status = got.statuses.empty() ? 400 : got.statuses.front();
  bool const in_body = c.id.find("CHUNK") != c.id.npos;
  if (got.probed || !refusal(status) || (status == 401 && !in_body))
    return "accepted: " + got.text() + ", wanted " + c.expected;
  return {};
}

void play_corpus(std::string const& file, std::size_t least) {
  auto const directory = corpora_directory(file.c_str());
  if (!directory) return;
  auto all = http_corpus(*directory, file);
  std::erase_if(all, [](corpus_case const& c) { return c.bytes.empty(); });
  CHECK(all.size() >= least);
  play_all(file, all.size(), 32, [&](std::size_t i) {
    auto p = expect(all[i].id, {all[i].bytes}, "401");
    p.complaint = [&c = all[i]](raw_outcome const& got) { return complaint(c, got); };
    return p;
  });
}

}  // namespace

TEST_CASE("the corpus of RFC 9112 cases") {
  play_corpus("rfc9112_cases.json", 150);
}

TEST_CASE("mutations of Transfer-Encoding and Content-Length") {
  play_corpus("te_cl_mutations.json", 1844);
}

TEST_CASE("JSONTestSuite as the body of a create") {
  auto const directory = corpora_directory("JSONTestSuite");
  if (!directory) return;
  auto client = border().instances().client(0, border().token());
  std::size_t played = 0;
  for_each_json(*directory, [&](std::string const& name, std::string const& text) {
    INFO(name);
    auto const got = client.http().request(
        "POST", "/api/cli-tokens",
        {{"Authorization", "Bearer " + client.token()}, {"Content-Type", "application/json"}}, text);
    ++played;
    CHECK(got.status == 400);
    // An empty body counts as no body, and that is not unreadable JSON.
    bool const readable = takes_json(name) || text.empty();
    CHECK((code_of(got) == "malformed_json") == !readable);
  });
  CHECK(played >= 300);
  std::printf("JSONTestSuite: %zu bodies\n", played);
}

}  // namespace svc::test
