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
       {"DIR/svcd.toml:1: a section's name (letters, digits, -, _ and dots) must be in brackets: [section]"}},
      {"a text without quotes",
       "public_url = https://example.org\n",
       {},
       {"DIR/svcd.toml:1: the value is not understood; a text needs quotes: public_url = \"text\""}},
      {"a text whose quote is not closed",
       "public_url = 'https://example.org\n",
       {},
       {"DIR/svcd.toml:1: the quote at the end of the text is missing: public_url = \"text\""}},
      {"a value that is not allowed is not missing too",
       "[postgres]\nurl = 5\n" + whole.substr(0, whole.find("[postgres]")) + whole.substr(whole.find("[redis]")),
       {},
       {"DIR/svcd.toml:2: postgres.url: must be text; for example: url = \"...\"",
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
      {"a section that is there twice",
       whole + "[redis]\n",
       {},
       {"DIR/svcd.toml:8: the section [redis] is there twice: put all of its keys below one of them"}},
      {"a listener that was refused",
       whole.substr(0, whole.find("[[listeners]]")) + "[[listeners]]\ntls = 'no'\nkind = 'internal'\n",
       {},
       {"DIR/svcd.toml:7: listeners[0].tls: must be true or false, without quotes"}},
      {"what is wrong between keys has the place of its value",
       whole + "[checks]\ncanaries = ['a:1']\n",
       {},
       {"DIR/svcd.toml:9: checks.canaries: must name none or at least two, since a single one may itself be down"}},
      {"a variable in place of the file's value",
       whole,
       {"SVC_REDIS_URL=ftp://h"},
       {"SVC_REDIS_URL: redis.url: must begin with redis://, rediss:// or unix:"}},
      {"what no source sets",
       whole.substr(whole.find("[postgres]")),
       {},
       {"DIR/svcd.toml: master_key_file: must be set"}},
      {"a session that would be idle for longer than it lasts",
       whole + "[sessions]\nabsolute = '1h'\nidle = '2h'\n",
       {},
       {"DIR/svcd.toml:10: sessions.idle: must not be longer than sessions.absolute"}},
      {"a file of denied passwords that does not exist",
       whole + "[passwords]\ndenied_file = '/nowhere/denied.txt'\n",
       {},
       {"DIR/svcd.toml:9: passwords.denied_file: /nowhere/denied.txt does not exist"}},
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

TEST_CASE("a value of another type is answered with an example in the form of the file") {
  test::temporary_directory const dir;
  struct {
    std::string line, expected;
  } const cases[] = {
      {"drain_timeout = 30",
       "drain_timeout: must be a duration from 0ms to 1h (ms, s, m, h); for example: drain_timeout = \"30s\""},
      {"trusted_proxies = '10.0.0.0/8'",
       "trusted_proxies: must be a list of ranges, 10.0.0.0/8 or fd00::/8; in a variable separated by commas; for "
       "example: trusted_proxies = [\"10.0.0.0/8\"]"},
      {"workers = '2'", "workers: must be an integer from 0 to 256; for example: workers = 0"},
      {"drain_timeout = '2h'", "drain_timeout: must be a duration from 0ms to 1h (ms, s, m, h)"},
  };
  for (auto const& c : cases)
    CHECK(problems_of_file(dir, c.line + "\n" + whole) == std::vector<std::string>{"DIR/svcd.toml:1: " + c.expected});
}

TEST_CASE("a key in the wrong form of section is answered with the right form, a mistyped one with the nearest") {
  test::temporary_directory const dir;
  std::string const listing = " (svcd print-config --comments lists them)";
  auto const without_listeners = whole.substr(0, whole.find("[[listeners]]"));
  struct {
    std::string text, expected;
  } const cases[] = {
      {"listeners = '0.0.0.0:8443'\n" + without_listeners,
       "DIR/svcd.toml:1: listeners: the listeners are a list of tables: write [[listeners]], and below it address = "
       "\"0.0.0.0:8443\""},
      {without_listeners + "[listeners]\naddress = '0.0.0.0:8443'\n",
       "DIR/svcd.toml:7: listeners.address: the listeners are a list of tables: write [[listeners]], and below it "
       "address = \"0.0.0.0:8443\""},
      {"tls = true\n" + whole,
       "DIR/svcd.toml:1: tls: a section, not a key: write [tls], and below it its keys (cert_file, key_file, "
       "ticket_keys_file)"},
      {"master_key_file = 'KEY'\n[[postgres]]\nurl = 'dbname=svc'\n" + whole.substr(whole.find("[redis]")),
       "DIR/svcd.toml:3: postgres[0].url: [postgres] is one section: write [postgres], not [[postgres]]"},
      {whole + "[limits.cli]\nrequests = 5\n",
       "DIR/svcd.toml:9: limits.cli.requests: no such key; [limits.cli] has limit, window" + listing},
      {whole + "[retentoin]\nalerts = '24h'\n",
       "DIR/svcd.toml:9: retentoin.alerts: no such key; did you mean retention.alerts?" + listing},
      {whole + "adress = '0.0.0.0:8443'\n",
       "DIR/svcd.toml:8: listeners[0].adress: no such key; did you mean address?"},
      {whole + "port = 8443\n",
       "DIR/svcd.toml:8: listeners[0].port: no such key; a listener has address, tls, proxy_protocol, kind, mode"},
  };
  for (auto const& c : cases) CHECK(problems_of_file(dir, c.text) == std::vector<std::string>{c.expected});
}

TEST_CASE("files that are missing are reported together with refused keys of the same and of other sections") {
  test::temporary_directory const dir;
  auto const problems = problems_of_file(dir,
                                         "workers = 'two'\nmaster_key_file = '/nowhere/master.key'\n"
                                         "[postgres]\nurl = 'postgresql://a b/c'\n"
                                         "[redis]\nmode = 'singel'\nurl = 'http://h'\n"
                                         "[tls]\ncert_file = '/nowhere/tls.pem'\nkey_file = '/etc'\n"
                                         "[[listeners]]\nadress = 'x'\n");
  CHECK(joined(problems, "\n") ==
        "DIR/svcd.toml:1: workers: must be an integer from 0 to 256; for example: workers = 0\n"
        "DIR/svcd.toml:6: redis.mode: must be single, sentinel or cluster\n"
        "DIR/svcd.toml:12: listeners[0].adress: no such key; did you mean address?\n"
        "DIR/svcd.toml:4: postgres.url: its host must be a host name, an IP address or the absolute path of a "
        "directory\n"
        "DIR/svcd.toml:7: redis.url: must begin with redis://, rediss:// or unix:\n"
        "DIR/svcd.toml:9: tls.cert_file: /nowhere/tls.pem does not exist\n"
        "DIR/svcd.toml:10: tls.key_file: /etc is a directory\n"
        "DIR/svcd.toml:2: master_key_file: /nowhere/master.key does not exist");
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
