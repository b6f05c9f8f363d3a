// openapi/errors.md is the error table for readers: generated from it, and compared with it here.
#include "svc/http/error_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

using namespace svc;
using namespace svc::http;

namespace {

std::string page() {
  std::vector<error_row> rows;
  for (std::uint16_t i = 0; i < errc_count; ++i) rows.push_back(row_of(static_cast<errc>(i)));
  std::sort(rows.begin(), rows.end(),
            [](auto const& a, auto const& b) { return std::tie(a.status, a.code) < std::tie(b.status, b.code); });
  std::string out =
      "# Errors\n\n"
      "Every failure is a JSON object: `error` is a sentence for people, `code` is stable, `requestId` finds the\n"
      "request in the service's log, and `details` names single wrong fields. The contract lists each operation's "
      "codes\n"
      "as `x-errors`.\n\n"
      "- 408: send the same request again at once.\n"
      "- 429, 503, `queue_full` and `idempotency_in_progress`: send it again after the time in `Retry-After`.\n"
      "- 500: send it again once; if it fails again, report it.\n"
      "- All others: change the request first.\n\n"
      "A POST without an answer may have been executed: send it again only with the same `Idempotency-Key`, or look "
      "first.\n\n"
      "| status | code | what to do |\n|---|---|---|\n";
  unsigned above = 0;
  for (auto const& row : rows) {
    out += (row.status == above ? "| |" : "| " + std::to_string(row.status) + " |") + " `" + std::string(row.name) +
           "` | " + std::string(row.sentence) + " |\n";
    above = row.status;
  }
  return out;
}

}  // namespace

TEST_CASE("the page of errors holds every error, as the table has it") {
  std::string const path = SVC_ERRORS_PAGE;
  if (std::getenv("REWRITE_PAGES") != nullptr) std::ofstream(path, std::ios::binary) << page();
  std::ifstream file(path, std::ios::binary);
  std::string const found{std::istreambuf_iterator<char>(file), {}};
  INFO("openapi/errors.md is out of date: REWRITE_PAGES=1 build/dev/bin/unit_http -tc='the page of errors*'");
  CHECK(found == page());
}
