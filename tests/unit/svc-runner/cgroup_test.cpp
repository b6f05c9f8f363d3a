#include "svc-runner/supervision/cgroup.hpp"

#include <doctest/doctest.h>

using namespace svc::runner;

TEST_CASE("our control groups are found through the mounted ones") {
  auto const two = find_cgroup_paths(
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n31 23 0:27 / /proc rw - proc proc rw\n",
      "0::/system.slice/svc-runner.service\n");
  CHECK(two.unified == "/sys/fs/cgroup/system.slice/svc-runner.service");
  CHECK(two.memory.empty());

  auto const paths = find_cgroup_paths(
      "1 2 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "1 2 0:3 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "1 2 0:3 /box /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
      "9:name=systemd:/\n8:pids:/box/inner\n4:memory:/\n1:cpu,cpuacct:/a\n0::/\n");
  CHECK(paths.unified.empty());
  CHECK(paths.memory == "/sys/fs/cgroup/memory");
  CHECK(paths.processes == "/sys/fs/cgroup/pids/inner");
  CHECK(paths.cpu == "/sys/fs/cgroup/cpu,cpuacct/a");

  // A group outside the mounted part cannot be reached.
  CHECK(find_cgroup_paths("1 2 0:3 /box /c rw - cgroup2 c rw\n", "0::/other\n").unified.empty());
  CHECK(find_cgroup_paths("", "").unified.empty());
  CHECK(find_cgroup_paths("nonsense\n - \n", "nonsense\n::\n").unified.empty());
}

TEST_CASE("the active limits are described in words") {
  CHECK(cgroup_base{}.describe() == "no cgroup");
  CHECK(cgroup_base{.version = 2, .memory = "/a", .processes = "/a", .cpu = "/a"}.describe() ==
        "cgroup v2 (memory, processes, cpu)");
  CHECK(cgroup_base{.version = 1, .memory = "/a"}.describe() == "cgroup v1 (memory)");
}
