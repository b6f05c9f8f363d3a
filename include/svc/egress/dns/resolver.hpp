#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/dns/dns_record.hpp"
#include "svc/egress/failure.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

struct nameserver_address {
  ip_address address{};
  std::uint16_t port = 53;

  friend bool operator==(nameserver_address const&, nameserver_address const&) = default;
};

/// `address`, `address:port` or `[IPv6]:port`. Total.
std::optional<nameserver_address> parse_nameserver(std::string_view text);

/// Those of `/etc/resolv.conf`, at most three; 127.0.0.1 if it names none, as the C library has it.
std::vector<nameserver_address> system_nameservers();

/// Immutable.
struct resolver_settings {
  std::vector<nameserver_address> servers{};  ///< asked in this order; empty: `system_nameservers()`
  milliseconds patience{1500};                ///< for the answer of one server, before the next one is asked too
  int rounds = 2;                             ///< how often all servers are asked
  milliseconds longest_cached{60'000};        ///< addresses are kept for their TTL, but never longer
  std::size_t most_cached = 10'000;           ///< names whose addresses are kept
  milliseconds probe_patience{1000};          ///< for `. NS`, by which it is seen whether the servers answer anybody
  /// False: the servers are themselves what is asked about, and never `resolver_unreachable`.
  bool may_be_ill = true;
};

/// Which addresses are wanted.
enum class ip_family : std::uint8_t { any, v4, v6 };

/// The outcome of a lookup.
struct lookup {
  /// `none`, `dns_not_found` (no such name, or no such record), `dns_failed`, `dns_timeout`, `resolver_unreachable`
  /// or `cancelled`.
  failure error = failure::internal;
  /// `error` is `none`: the answer. Otherwise what the server said that decided, if any did.
  dns_answer answer{};
};

/// The outcome of a lookup of addresses.
struct address_lookup {
  failure error = failure::internal;    ///< as in `lookup`
  std::vector<ip_address> addresses{};  ///< without repetition: IPv6 before IPv4, each in the order of its answer
  bool from_cache = false;
};

/// Looks names up in DNS by c-ares, and in nothing else: no hosts file, no search list, no environment. Worker-local:
/// one for each thread and `io_context`, destroyed before the `io_context`; lookups that are open then end as
/// `cancelled` if the loop still runs.
///
/// A silent or failing server is followed by the next one, whose answers are taken as well as late ones of the first.
/// If none has an answer, what that says depends on other names: if these servers answered another one since the
/// lookup began, or if they answer `. NS` now, the name is at fault (`dns_failed`, `dns_timeout`); otherwise they are
/// (`resolver_unreachable`), and the target is not. That other names failed too says nothing: two zones may be
/// broken.
///
/// A lookup can be cancelled through the cancellation slot of the coroutine that awaits it
/// (`asio::cancellation_type::terminal`). c-ares cannot cancel one of its queries: it goes on, and its answer is
/// dropped.
class resolver {
 public:
  /// Throws `std::runtime_error` if c-ares cannot be set up.
  resolver(asio::io_context& io, resolver_settings settings);
  ~resolver();
  resolver(resolver const&) = delete;
  resolver& operator=(resolver const&) = delete;

  /// `name` as `parse_dns_name` gives it. Never cached. Returns at the deadline, or up to `probe_patience` later if
  /// it must find out whose fault the silence is.
  task<lookup> query(std::string name, record_type type, deadline until);

  /// A and AAAA at once, or one of them; if one has answered, the other has 300 ms left. `name`: of a `host` that is
  /// no address. What was found at most `max_age` ago (zero: nothing) may come from the cache; failures never do.
  task<address_lookup> addresses(std::string name, ip_family family, deadline until, milliseconds max_age);

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
