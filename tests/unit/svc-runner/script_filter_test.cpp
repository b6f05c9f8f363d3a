#include "svc-runner/supervision/script_filter.hpp"

#include <doctest/doctest.h>

#include <linux/keyctl.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

using namespace svc::runner;

namespace {

struct call {
  std::string name;
  long number;
  long first, second, third;
  int expected;  ///< errno; 0: let through, whatever the kernel answers
};

/// In a separate process, because a filter cannot be removed. Its exit code is the errno, 255 for success.
int outcome_of(seccomp_program const& filter, call const& c) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!install_filter(filter)) ::_exit(254);
    long const got = ::syscall(c.number, c.first, c.second, c.third, 0, 0);
    ::_exit(got >= 0 ? 255 : errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 253;
}

}  // namespace

TEST_CASE("the system calls that scripts may make") {
  auto const filter = script_filter(true);
  CHECK(filter.size() > 100);
  CHECK(filter.size() < 4096);
  call const cases[] = {
      {"add_key", SYS_add_key, 0, 0, 0, EPERM},
      {"keyctl", SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1, EPERM},
      {"request_key", SYS_request_key, 0, 0, 0, EPERM},
      {"userfaultfd", SYS_userfaultfd, 0, 0, 0, EPERM},
      {"io_uring_setup", SYS_io_uring_setup, 1, 0, 0, EPERM},
      {"io_uring_enter", SYS_io_uring_enter, 0, 0, 0, EPERM},
      {"io_uring_register", SYS_io_uring_register, 0, 0, 0, EPERM},
      {"bpf", SYS_bpf, 0, 0, 0, EPERM},
      {"perf_event_open", SYS_perf_event_open, 0, 0, 0, EPERM},
      {"mount", SYS_mount, 0, 0, 0, EPERM},
      {"fsopen", SYS_fsopen, 0, 0, 0, EPERM},
      {"unshare", SYS_unshare, 0, 0, 0, EPERM},
      {"setns", SYS_setns, 0, 0, 0, EPERM},
      {"kexec_load", SYS_kexec_load, 0, 0, 0, EPERM},
      {"a new namespace", SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, ENOSYS},
      {"clone3, which hides its flags", SYS_clone3, 0, 0, 0, ENOSYS},
      {"what the list does not know", 4000, 0, 0, 0, ENOSYS},
      {"sockets of the kernel's ciphers", SYS_socket, AF_ALG, SOCK_SEQPACKET, 0, ENOSYS},
      {"sockets of the hypervisor", SYS_socket, AF_VSOCK, SOCK_STREAM, 0, ENOSYS},
      {"a family with bits above", SYS_socket, (1L << 32) | AF_ALG, SOCK_SEQPACKET, 0, ENOSYS},
      {"another kind of Linux", SYS_personality, 0x0400000, 0, 0, ENOSYS},
      {"a stream", SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0},
      {"an address of six", SYS_socket, AF_INET6, SOCK_STREAM, 0, 0},
      {"shared memory in its own namespace", SYS_shmget, 0, 4096, 01600, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const got = outcome_of(filter, c);
    if (c.expected != 0) CHECK(got == c.expected);
    if (c.expected == 0) CHECK(got != ENOSYS);
    if (c.expected == 0) CHECK(got != EPERM);
  }
  // It would remain when the processes are gone.
  CHECK(outcome_of(script_filter(false), {"shmget", SYS_shmget, 0, 4096, 01600, 0}) == ENOSYS);
}
