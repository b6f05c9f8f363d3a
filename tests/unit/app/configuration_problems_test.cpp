// The messages for an operator after a mistake in the configuration: place, key and reason, each once.
#include "app/configuration/configuration.hpp"

#include "support/temporary_directory.hpp"
#include "svc/core/joined.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

std::string const whole =
    "master_key_file = 'KEY'\n[postgres]\nurl = 'dbname=svc'\n[redis]\nurl = 'redis://h'\n[[listeners]]\ntls = "
    "false\n";

/// Returns the problems of serving with that file; DIR is replaced by the directory of the files.
std::vector<std::string> problems_of_file(test::temporary_directory const& dir, std::string text,
                                          std::vector<std::string> environment = {}) {
  auto const key = dir.write("master.key", std::string(64, 'a') + "\n");
  if (auto const position = text.find("KEY"); position != std::string::npos) text.replace(position, 3, key);
  auto out =
      load_configuration({.file = dir.write("svcd.toml", text), .environment = std::move(environment)}).problems;
  for (auto& problem : out)
    for (auto position = problem.find(dir.path()); position != std::string::npos; position = problem.find(dir.path()))
      problem.replace(position, dir.path().size(), "DIR");
  return out;
}

TEST_CASE(
    "a mistake in the configuration is one line with file, line, key and reason, and nothing that follows from it") {
  test::temporary_directory const dir;
  REQUIRE(problems_of_file(dir, whole) == std::vector<std::string>{});
  struct {
    char const* name;
    std::string text;
    std::vector<std::string> environment;
    std::vector<std::string> expected;
  } const cases[] = {
      {"no TOML: no key is missing, because none was read",
       "[postgres\nurl = 'x'\n",
       {},
       {"DIR/svcd.toml:1: Error while parsing table header: expected ']', saw '\\n'"}},
      {"a text without quotes",
       "public_url = https://example.org\n",
       {},
       {"DIR/svcd.toml:1: Error while parsing value: could not determine value type; a text needs quotes: KEY = "
        "\"text\""}},
      {"a text whose quote is not closed",
       "public_url = 'https://example.org\n",
       {},
       {"DIR/svcd.toml:1: Error while parsing literal string: control characters other than TAB (U+0009) are "
        "explicitly prohibited; the quote at the end of the text is missing"}},
      {"a value that is not allowed is not missing too",
       "[postgres]\nurl = 5\n" + whole.substr(0, whole.find("[postgres]")) + whole.substr(whole.find("[redis]")),
       {},
       {"DIR/svcd.toml:2: postgres.url: must be text",
        "DIR/svcd.toml:3: postgres.master_key_file: no such key; did you mean master_key_file, before the first "
        "[section]? (svcd print-config --comments lists them)"}},
      {"a mistyped key is not missing too",
       "mastr_key_file = 'KEY'\n" + whole.substr(whole.find("[postgres]")),
       {},
       {"DIR/svcd.toml:1: mastr_key_file: no such key; did you mean master_key_file? (svcd print-config --comments "
        "lists them)"}},
      {"a mistyped variable",
       whole,
       {"SVC_LOG_LEVLE=info"},
       {"SVC_LOG_LEVLE: no such key; did you mean SVC_LOG_LEVEL? (svcd print-config --comments lists them)"}},
      {"a mode that does not exist says nothing about the URL",
       whole + "[redis]\n",
       {},
       {"DIR/svcd.toml:8: Error while parsing table header: cannot redefine existing table 'redis'"}},
      {"a listener that was refused",
       whole.substr(0, whole.find("[[listeners]]")) + "[[listeners]]\ntls = 'no'\nkind = 'internal'\n",
       {},
       {"DIR/svcd.toml:7: listeners[0].tls: must be true or false"}},
      {"what is wrong between keys has the place of its value",
       whole + "[checks]\ncanaries = ['a:1']\n",
       {},
       {"DIR/svcd.toml:9: checks.canaries: must name none or at least two, since one may be ill itself"}},
      {"a variable in place of the file's value",
       whole,
       {"SVC_REDIS_URL=ftp://h"},
       {"SVC_REDIS_URL: redis.url: must begin with redis://, rediss:// or unix:"}},
      {"what no source sets",
       whole.substr(whole.find("[postgres]")),
       {},
       {"DIR/svcd.toml: master_key_file: must be set"}},
      {"a file that does not exist",
       "outgoing_ca_file = '/nowhere/ca.pem'\n" + whole,
       {},
       {"DIR/svcd.toml:1: outgoing_ca_file: /nowhere/ca.pem does not exist"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(joined(problems_of_file(dir, c.text, c.environment), "\n") == joined(c.expected, "\n"));
  }
}

TEST_CASE("a redis.mode that does not exist is the only problem of its section") {
  test::temporary_directory const dir;
  auto text = whole;
  text.replace(text.find("url = 'redis://h'"), 17, "mode = 'sentinels'\nsentinel_master = 'x'");
  CHECK(problems_of_file(dir, text) ==
        std::vector<std::string>{"DIR/svcd.toml:5: redis.mode: must be single, sentinel or cluster"});
}

TEST_CASE("certificate and key: the key of the configuration, the file and the reason, in words that name a remedy") {
  test::temporary_directory const dir;
  auto const with_tls = [&](std::string const& certificate, std::string const& key) {
    return problems_of_file(dir, whole.substr(0, whole.find("[[listeners]]")) + "[tls]\ncert_file = '" + certificate +
                                     "'\nkey_file = '" + key + "'\n");
  };
  auto const text = dir.write("text.pem", "not PEM\n");
  auto const damaged = dir.write("damaged.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  using lines = std::vector<std::string>;
  CHECK(with_tls("/nowhere/tls.pem", text) ==
        lines{"DIR/svcd.toml:7: tls.cert_file: /nowhere/tls.pem does not exist"});
  CHECK(with_tls(dir.path(), text) == lines{"DIR/svcd.toml:7: tls.cert_file: DIR is a directory"});
  CHECK(with_tls(text, text) == lines{"DIR/svcd.toml:7: tls.cert_file: DIR/text.pem must be a PEM file with the line "
                                      "\"-----BEGIN CERTIFICATE-----\""});
  CHECK(with_tls(damaged, text) == lines{"DIR/svcd.toml:7: tls.cert_file: DIR/damaged.pem is damaged between "
                                         "\"-----BEGIN CERTIFICATE-----\" and its end"});
}

}  // namespace
}  // namespace svc::app
