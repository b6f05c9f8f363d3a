#include "cli/settings/config_file.hpp"

#include "cli/console/failure.hpp"
#include "support/temporary_directory.hpp"
#include "svc/domain/token.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <filesystem>

using namespace svc::cli;

namespace {

/// The sentence and hint of the failure; empty: there was none.
std::string refusal_of_file(std::string_view text, config_origin origin = config_origin::user) {
  try {
    read_config("/x/file.toml", text, origin);
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return std::string(f.what()) + " " + f.hint();
  }
  return {};
}

}  // namespace

TEST_CASE("a file's values know their lines") {
  auto const got =
      read_config("/x/config.toml",
                  "# ours\nurl = \"https://ci.example.com\"\norganization = 'acme'\n\nproject = \"shöp\"\n"
                  "cacert = \"ca.pem\"\ntimeout = 90\ncolor = \"never\"\n",
                  config_origin::user);
  CHECK(got.url->value == "https://ci.example.com");
  CHECK(got.url->source == "/x/config.toml:2");
  CHECK(got.organization->source == "/x/config.toml:3");
  CHECK(got.project->value == "shöp");
  CHECK(got.project->source == "/x/config.toml:5");
  CHECK(got.ca_file->value == "/x/ca.pem");
  CHECK(got.timeout == std::chrono::seconds(90));
  CHECK(got.colour->value == "never");
  CHECK(read_config("/x/c", "cacert = \"/etc/ca.pem\"", config_origin::user).ca_file->value == "/etc/ca.pem");
  CHECK_FALSE(read_config("/x/c", "", config_origin::project).url);
}

TEST_CASE("a file that is wrong is refused with its line") {
  std::string const token(svc::mint_token(svc::token_kind::cli).key.reveal());
  struct {
    std::string text;
    std::string says;
  } const rows[] = {
      {"url = \"https://a.example\"\nurls = 1\n",
       "file.toml:2: there is no key urls. The keys are url, organization"},
      {"[profile]\nurl = \"x\"\n", "file.toml:2: there is no key profile.url"},
      {"url = 5", "file.toml:1: url must be a text"},
      {"url = \"\"", "file.toml:1: url must not be empty"},
      {"token = \"svc_live_x\"", "file.toml:1: token is not a setting"},
      {"url = [\"https://a.example\"]", "url must be a text"},
      {"organization = true", "organization must be a text"},
      {"timeout = 0", "timeout must be a whole number of seconds from 1 to 604800"},
      {"timeout = 604801", "timeout must be"},
      {"timeout = 1.5", "timeout must be"},
      {"timeout = \"soon\"", "timeout must be"},
      {"timeout = \"8d\"", "timeout must be"},
      {"timeout = 99999999999999999999", "file.toml:1"},
      {"color = \"blue\"", "color must be"},
      {"url = \"https://a.example", "file.toml:1"},
      {"url = \"a\"\nurl = \"b\"", "file.toml:2"},
      {"x = \"\xff\"", "file.toml:1: a control character, or bytes that are not UTF-8"},
      {std::string("a = 1\n\0", 7), "file.toml:2: a control character"},
      {"\n\n# " + token + "\n", "file.toml:3 contains a credential (" + token.substr(0, 13)},
      {"project = \"" + token + "\"", "Revoke it"},
      {"\xff\xfe job_0123456789abcdef0123456789abcdef", "contains a credential (job_0123...)"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const said = refusal_of_file(row.text);
    CHECK_MESSAGE(said.find(row.says) != std::string::npos, said);
    CHECK(said.find(token) == std::string::npos);
  }
  CHECK(refusal_of_file("timeout = 1").empty());
  CHECK(refusal_of_file("timeout = 604800").empty());
  CHECK(refusal_of_file("timeout = \"30m\"").empty());
  // A repository must not bring its own certificate authority.
  CHECK(refusal_of_file("cacert = \"ca.pem\"").empty());
  CHECK(refusal_of_file("cacert = \"ca.pem\"", config_origin::project).find("not allowed") != std::string::npos);
}

TEST_CASE("only a small regular file is read, and nothing is waited for") {
  svc::test::temporary_directory const directory;
  auto const load = [&](std::string const& name) -> std::string {
    try {
      return load_config(directory.path() + "/" + name, config_origin::user) ? "read" : "none";
    } catch (failure const& f) {
      return f.what();
    }
  };
  directory.write("good", "project = \"shop\"");
  directory.write("largest", "#" + std::string(largest_config_file - 1, 'x'));
  directory.write("too large", "#" + std::string(largest_config_file, 'x'));
  ::mkfifo((directory.path() + "/fifo").c_str(), 0600);
  std::filesystem::create_directory(directory.path() + "/directory");
  std::filesystem::create_symlink("good", directory.path() + "/link");
  CHECK(load("good") == "read");
  CHECK(load("link") == "read");
  CHECK(load("none") == "none");
  CHECK(load("good/none") == "none");
  CHECK(load("largest") == "read");
  CHECK(load("too large").find("larger than 65536 bytes") != std::string::npos);
  CHECK(load("fifo").find("not a regular file") != std::string::npos);
  CHECK(load("directory").find("not a regular file") != std::string::npos);
}

TEST_CASE("the project's file is the nearest one upwards") {
  svc::test::temporary_directory const directory;
  auto const deep = directory.path() + "/a/b/c";
  std::filesystem::create_directories(deep);
  CHECK(project_file_above(deep).empty());
  CHECK(project_file_above("/").empty());
  auto const top = directory.write("svc.toml", "");
  CHECK(project_file_above(deep) == top);
  auto const near = directory.write("a/b/svc.toml", "");
  CHECK(project_file_above(deep) == near);
  CHECK(project_file_above(directory.path() + "/a") == top);
}
