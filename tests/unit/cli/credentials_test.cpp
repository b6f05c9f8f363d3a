#include "cli/settings/credentials.hpp"

#include "cli/console/failure.hpp"
#include "cli/settings/files.hpp"
#include "support/temporary_directory.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

#include <filesystem>

using namespace svc::cli;
namespace fs = std::filesystem;

namespace {

unsigned mode_of(std::string const& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 0777U : 0;
}

std::string refusal_to_find(credential_file const& file) {
  try {
    file.find("https://a.example");
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return f.what() + f.hint();
  }
  return {};
}

}  // namespace

TEST_CASE("tokens are stored for each address, readable only by the user") {
  svc::test::temporary_directory const home;
  auto const directory = home.path() + "/config/svc";
  credential_file const file(directory);
  CHECK_FALSE(file.find("https://a.example"));
  CHECK_FALSE(file.erase("https://a.example"));
  CHECK_FALSE(fs::exists(directory));

  file.store("https://a.example", svc::secret_string("one"));
  file.store("https://b.example", svc::secret_string("two"));
  file.store("https://a.example", svc::secret_string("three"));
  CHECK(file.find("https://a.example")->reveal() == "three");
  CHECK(file.find("https://b.example")->reveal() == "two");
  CHECK(file.addresses() == std::vector<std::string>{"https://a.example", "https://b.example"});
  CHECK(mode_of(directory) == 0700);
  CHECK(mode_of(file.path()) == 0600);

  CHECK(file.erase("https://a.example"));
  CHECK_FALSE(file.erase("https://a.example"));
  CHECK_FALSE(file.find("https://a.example"));
  CHECK(file.find("https://b.example")->reveal() == "two");
  for (auto const& entry : fs::directory_iterator(directory))
    CHECK(entry.path().string().find(".new") == std::string::npos);
}

TEST_CASE("a file that others could have read, or that is no such file, is refused") {
  svc::test::temporary_directory const directory;
  credential_file const file(directory.path());
  auto const refused = [&](char const* reason) { return refusal_to_find(file).find(reason) != std::string::npos; };
  file.store("https://a.example", svc::secret_string("one"));
  for (unsigned const open : {0640U, 0604U, 0620U, 0602U, 0660U, 0644U, 0601U}) {
    fs::permissions(file.path(), fs::perms(open));
    CHECK(refused("revoke"));
    CHECK_THROWS_AS(file.store("https://b.example", svc::secret_string("two")), failure);
  }
  fs::permissions(file.path(), fs::perms(0600));
  CHECK(refusal_to_find(file).empty());
  fs::permissions(directory.path(), fs::perms(0770));
  CHECK(refused("other users can write to"));
  fs::permissions(directory.path(), fs::perms(0755));
  CHECK(refusal_to_find(file).empty());

  fs::rename(file.path(), directory.path() + "/elsewhere");
  fs::create_symlink("elsewhere", file.path());
  CHECK(refused("symbolic link"));
  fs::remove(file.path());
  ::mkfifo(file.path().c_str(), 0600);
  CHECK(refused("not a regular file"));
  fs::remove(file.path());
  for (char const* const text :
       {"", "x", "[]", "{}", "{\"credentials\": []}", "{\"credentials\": {\"https://a.example\": \"one\"}}",
        "{\"credentials\": {\"https://a.example\": {\"token\": 1}}}"}) {
    fs::remove(file.path());
    directory.write("credentials.json", text);
    fs::permissions(file.path(), fs::perms(0600));
    CHECK(refused("was not written by svc login"));
  }
}

TEST_CASE("without a home nothing is found, and nothing can be stored") {
  credential_file const nowhere("");
  CHECK_FALSE(nowhere.find("https://a.example"));
  CHECK(nowhere.addresses().empty());
  CHECK_THROWS_AS(nowhere.store("https://a.example", svc::secret_string("one")), failure);
}

TEST_CASE("a file that cannot be replaced stays as it was") {
  svc::test::temporary_directory const directory;
  directory.write("file", "old");
  CHECK_THROWS_AS(replace_private_file(directory.path() + "/file/below", "new"), failure);
  CHECK(*read_regular_file(directory.path() + "/file", 10) == "old");
  fs::create_directory(directory.path() + "/directory");
  CHECK_THROWS_AS(replace_private_file(directory.path() + "/directory", "new"), failure);
  CHECK(std::distance(fs::directory_iterator(directory.path()), {}) == 2);
}
