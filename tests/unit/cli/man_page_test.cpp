#include "cli/manual/man_page.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;

namespace {

described_command tool() {
  described_command get{
      .path = "svc job get",
      .summary = "Show a job",
      .footer = "Example:\n  svc job get 'a b' --since \"-1\"\n  .svc\nAnother sentence.",
      .options = {
          {.value_name = "ID", .help = "the job", .positional = true, .required = true},
          {.names = {"-w", "--when"}, .value_name = "WHEN", .help = "auto or never", .choices = {"auto", "never"}},
          {.names = {"--key"}, .value_name = "K", .help = "key", .required = true}}};
  described_command job{.path = "svc job", .summary = "Jobs", .commands = {get}};
  described_command health{.path = "svc health", .summary = "Ask how it is"};
  return {.path = "svc", .summary = "Runs jobs", .commands = {job, health}};
}

}  // namespace

TEST_CASE("text in a manual page: characters that roff would interpret are escaped") {
  struct row {
    char const *name, *text, *expected;
  };
  row const rows[] = {
      {"plain", "Show a job", "Show a job\n"},
      {"nothing", "", ""},
      {"point at the beginning", ".profile is read", "\\&.profile is read\n"},
      {"apostrophe at the beginning", "'quoted'", "\\(aqquoted\\(aq\n"},
      {"point at the beginning of a second line", "a\n.b", "a\n\\&.b\n"},
      {"backslash", "a\\nb", "a\\enb\n"},
      {"hyphens that are typed", "--json", "\\-\\-json\n"},
      {"typographic characters", "`~^", "\\(ga\\(ti\\(ha\n"},
      {"paragraphs", "a\n\nb", "a\n.PP\nb\n"},
      {"a long line breaks between words",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb .config",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb .config\n"},
      {"a point that the break brings to the beginning",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa .config",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\\&.config\n"},
  };
  for (auto const& r : rows) {
    CAPTURE(r.name);
    CHECK(roff_text(r.text) == r.expected);
  }
  CHECK(roff_argument("a \"b\" \\") == "\"a \\(dqb\\(dq \\e\"");
}

TEST_CASE("there is a page for the program and one for each group of commands") {
  auto const pages = man_pages(tool(), {"2026-11-20", "1.2.3"});
  REQUIRE(pages.size() == 2);
  CHECK(pages[0].file == "svc.1");
  CHECK(pages[1].file == "svc-job.1");
  CHECK(pages[0].text.starts_with(".TH \"SVC\" 1 2026-11-20 \"svc 1.2.3\" \"svc manual\"\n"));
  CHECK(pages[1].text.starts_with(".TH \"SVC\\-JOB\" 1 2026-11-20 "));
}

TEST_CASE("a command's entry has its usage, its options with their values, and its footer's lines as typed") {
  auto const text = man_pages(tool(), {"2026-11-20", "1.2.3"})[1].text;
  for (auto const* const part : {
           ".SS \"svc job get \\-\\-key K [OPTIONS] ID\"\nShow a job\n",
           ".TP\n\\fIID\\fR\nthe job\n",
           ".TP\n\\fB\\-w\\fR, \\fB\\-\\-when\\fR \\fIWHEN\\fR\nauto or never\nOne of: auto, never.\n",
           ".PP\nExample:\n.RS 4\n.nf\nsvc job get \\(aqa b\\(aq \\-\\-since \"\\-1\"\n\\&.svc\n.fi\n.RE\n.PP\n"
           "Another sentence.\n",
       }) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("the program's page names groups by their pages and has the other commands in full") {
  auto const text = man_pages(tool(), {"2026-11-20", "1.2.3"})[0].text;
  CHECK(text.find(".B \"svc job\"\nJobs\nSee\n.BR svc\\-job (1).\n") != std::string::npos);
  CHECK(text.find(".SS \"svc health\"\nAsk how it is\n") != std::string::npos);
  for (auto const* const heading :
       {"NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS"}) {
    CAPTURE(heading);
    CHECK(text.find(std::string(".SH ") + heading + "\n") != std::string::npos);
  }
}
