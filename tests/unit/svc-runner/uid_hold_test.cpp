#include "svc-runner/supervision/uid_hold.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace svc::runner;

namespace {

// Below the ids that runners take by default, and unique to this process.
std::int64_t first_id() {
  return 1'000'000'000 + ::getpid() * 10'000LL % 800'000'000;
}

}  // namespace

TEST_CASE("a user id has one holder, until its last descriptor is closed") {
  auto first = uid_hold::take(first_id());
  REQUIRE(first);
  CHECK(first->uid() == first_id());
  CHECK(!uid_hold::take(first_id()));
  CHECK(uid_hold::take(first_id() + 1));
  // Like a supervisor that outlives its runner.
  int const kept = ::dup(first->descriptor());
  first.reset();
  CHECK(!uid_hold::take(first_id()));
  ::close(kept);
  CHECK(uid_hold::take(first_id()));
}

TEST_CASE("ids that are held are skipped, and too many of them are an error that names the key") {
  auto const taken = uid_hold::take(first_id() + 1);
  auto const got = hold_uids(first_id(), 3);
  REQUIRE(got.size() == 3);
  CHECK(got[0].uid() == first_id());
  CHECK(got[1].uid() == first_id() + 2);
  CHECK(got[2].uid() == first_id() + 3);
  auto const others = hold_uids(first_id(), 2);
  CHECK(others.front().uid() == first_id() + 4);
  CHECK_THROWS_WITH(hold_uids(first_id(), 2, 2), doctest::Contains("sandbox.first_uid: of the 4 user ids from "));
}

TEST_CASE("ids of living processes are skipped") {
  auto const user = static_cast<uid_t>(first_id() + 10);
  pid_t const other = ::fork();
  if (other == 0) {
    if (::setresuid(user, user, user) == 0) ::pause();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(other, &status, WNOHANG) == 0 && !living_users().contains(user)) ::usleep(1000);
  if (!living_users().contains(user)) {
    MESSAGE("not shown on this machine: another user's process");
    return;
  }
  CHECK(hold_uids(user, 1).front().uid() == user + 1);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  CHECK(hold_uids(user, 1).front().uid() == user);
}

TEST_CASE("the owner of a process, and whether it lives") {
  struct {
    std::string_view status;
    std::int64_t expected;
  } const cases[] = {
      {"Name:\ta\nState:\tS (sleeping)\nUid:\t7\t8\t9\t10\nGid:\t1\n", 7},
      {"Name:\ta\nState:\tZ (zombie)\nUid:\t7\t7\t7\t7\n", -1},
      {"Name:\tUid:\nState:\tR (running)\nUid:\t0\t0\t0\t0\n", 0},
      {"Name:\ta\nState:\tR (running)\n", -1},
      {"Name:\ta\nState:\tR (running)\nUid:\tx\n", -1},
      {"", -1},
  };
  for (auto const& c : cases) {
    CAPTURE(c.status);
    CHECK(living_user(c.status) == c.expected);
  }
  CHECK(living_users()[::getuid()] >= 1);
}
