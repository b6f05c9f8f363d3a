#include "svc-runner/supervision/script_filter.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include <cerrno>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace svc::runner {
namespace {

/// Names that this libseccomp does not know or that belong to other architectures are skipped.
constexpr char const* allowed = R"(
  accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres clock_gettime
  clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl
  epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64
  fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork
  fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat
  getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid
  getppid getpriority getrandom getresgid getresuid getrlimit get_robust_list getrusage getsid getsockname getsockopt
  get_thread_area gettid gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch
  io_cancel ioctl io_destroy io_getevents io_pgetevents ioprio_get ioprio_set io_setup io_submit kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr
  llistxattr lremovexattr lseek lsetxattr lstat madvise map_shadow_stack membarrier memfd_create mincore mkdir mkdirat
  mknod mknodat mlock mlock2 mlockall mmap modify_ldt mprotect mremap mseal msync munlock munlockall munmap
  name_to_handle_at nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc
  pkey_free pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64 process_mrelease process_vm_readv
  process_vm_writev pselect6 ptrace pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom
  recvmmsg recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
  rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
  sched_getaffinity sched_getattr sched_getparam sched_get_priority_max sched_get_priority_min sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select
  sendfile sendmmsg sendmsg sendto setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid
  setresuid setreuid setrlimit set_robust_list setsid setsockopt set_thread_area set_tid_address setuid setxattr
  shutdown sigaltstack signalfd signalfd4 socketpair splice stat statfs statx symlink symlinkat sync sync_file_range
  syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
  timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork
  vmsplice wait4 waitid write writev)";

/// These calls create objects that outlive the processes.
constexpr char const* allowed_with_own_ipc = R"(
  mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop
  semtimedop shmat shmctl shmdt shmget)";

/// Calls that fail with EPERM, so that programs can report to their user that they are forbidden.
constexpr char const* denied_calls = R"(
  acct add_key bpf chroot clock_adjtime clock_settime delete_module fanotify_init finit_module fsconfig fsmount fsopen
  fspick get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load
  kexec_load keyctl lookup_dcookie mbind migrate_pages mount mount_setattr move_mount move_pages nfsservctl
  open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_madvise quotactl quotactl_fd reboot
  request_key set_mempolicy setdomainname sethostname setns settimeofday swapoff swapon syslog umount2 unshare
  userfaultfd vhangup)";

/// The flags of all namespaces that clone can make: nested ones would expose more of the kernel to a script.
constexpr scmp_datum_t new_namespaces = 0x7E02'0000;

void check(int code) {
  if (code < 0) throw std::runtime_error("the filter of system calls cannot be made");
}

void add_calls(scmp_filter_ctx ctx, std::uint32_t action, char const* names) {
  std::istringstream words(names);
  for (std::string name; words >> name;)
    if (int const number = ::seccomp_syscall_resolve_name(name.c_str()); number >= 0)
      check(::seccomp_rule_add(ctx, action, number, 0));
}

void add_by_argument(scmp_filter_ctx ctx) {
  auto const when = [ctx](int call, scmp_compare compare, scmp_datum_t first, scmp_datum_t second = 0) {
    check(::seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 1, scmp_arg_cmp{0, compare, first, second}));
  };
  // clone3 is not allowed, because it hides its flags from a filter: the C library uses clone when it gets ENOSYS.
  when(SCMP_SYS(clone), SCMP_CMP_MASKED_EQ, new_namespaces);
  for (auto const family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    when(SCMP_SYS(socket), SCMP_CMP_EQ, static_cast<scmp_datum_t>(family));
  // PER_LINUX, PER_LINUX32, both with UNAME26 (kernel version reported as 2.6), and the query of the current value.
  for (scmp_datum_t const kind : {0x0U, 0x8U, 0x2'0000U, 0x2'0008U, 0xffff'ffffU})
    when(SCMP_SYS(personality), SCMP_CMP_EQ, kind);
}

/// Debian 12's libseccomp can write programs to descriptors only.
seccomp_program exported(scmp_filter_ctx ctx) {
  int const file = ::memfd_create("filter", MFD_CLOEXEC);
  seccomp_program out;
  if (file >= 0 && ::seccomp_export_bpf(ctx, file) == 0) {
    auto const bytes = ::lseek(file, 0, SEEK_END);
    out.resize(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file, out.data(), out.size() * sizeof(sock_filter), 0) != bytes) out.clear();
  }
  if (file >= 0) ::close(file);
  if (out.empty()) throw std::runtime_error("the filter of system calls cannot be written");
  return out;
}

}  // namespace

seccomp_program script_filter(bool own_ipc) {
  std::unique_ptr<void, void (*)(void*)> const all(::seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), ::seccomp_release);
  if (!all) throw std::runtime_error("the filter of system calls cannot be made");
  // System calls of another architecture, such as those of 32-bit programs, fail.
  check(::seccomp_attr_set(all.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
  add_calls(all.get(), SCMP_ACT_ALLOW, allowed);
  if (own_ipc) add_calls(all.get(), SCMP_ACT_ALLOW, allowed_with_own_ipc);
  add_calls(all.get(), SCMP_ACT_ERRNO(EPERM), denied_calls);
  add_by_argument(all.get());
  return exported(all.get());
}

bool install_filter(seccomp_program const& program) {
  sock_fprog const all{.len = static_cast<unsigned short>(program.size()),
                       .filter = const_cast<sock_filter*>(program.data())};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

}  // namespace svc::runner
