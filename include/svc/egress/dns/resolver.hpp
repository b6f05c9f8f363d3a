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

/// Parses `address`, `address:port` or `[IPv6]:port`. Total.
std::optional<nameserver_address> parse_nameserver(std::string_view text);

/// Returns the servers of `/etc/resolv.conf`, at most three. Returns 127.0.0.1 if the file names no server, as the C
/// library does.
std::vector<nameserver_address> system_nameservers();

/// Immutable.
struct resolver_settings {
  std::vector<nameserver_address> servers{};  ///< asked in this order; empty: `system_nameservers()`
  milliseconds patience{1500};                ///< time that one server has to answer before the next one is asked too
  int rounds = 2;                             ///< number of times that all servers are asked
  milliseconds longest_cached{60'000};        ///< addresses are kept for their TTL, but never longer
  std::size_t most_cached = 10'000;           ///< number of names whose addresses are kept
  milliseconds probe_patience{1000};  ///< time for the query `. NS`, which shows whether the servers answer at
                                      ///< all
  /// False if the servers themselves are the target of the query. The error is then never `resolver_unreachable`.
  bool may_be_ill = true;
};

/// The address family that the caller wants.
enum class ip_family : std::uint8_t { any, v4, v6 };

/// The outcome of a lookup.
struct lookup {
  /// `none`, `dns_not_found` (no such name, or no such record), `dns_failed`, `dns_timeout`, `resolver_unreachable`
  /// or `cancelled`.
  failure error = failure::internal;
  /// The answer if `error` is `none`. Otherwise the server's answer that caused the error, if there is one.
  dns_answer answer{};
};

/// The outcome of a lookup of addresses.
struct address_lookup {
  failure error = failure::internal;    ///< same values as in `lookup`
  std::vector<ip_address> addresses{};  ///< no duplicates; IPv6 before IPv4, each in the order of its answer
  bool from_cache = false;
};

/// Looks up names in DNS with c-ares. It uses no hosts file, no search list and no environment. Worker-local: one for
/// each thread and `io_context`, destroyed before the `io_context`. Lookups that are open then end as `cancelled` if
/// the loop still runs.
///
/// If a server is silent or fails, the resolver asks the next one. It accepts answers of the next server and late
/// answers of the first. If no server answers, the verdict depends on other names. The name is at fault
/// (`dns_failed`, `dns_timeout`) if these servers answered another name since the lookup started, or answer `. NS`
/// now. Otherwise the servers are at fault (`resolver_unreachable`), not the target. Failures of other names prove
/// nothing, because two zones may be broken.
///
/// A lookup can be cancelled through the cancellation slot of the awaiting coroutine
/// (`asio::cancellation_type::terminal`). c-ares cannot cancel a single query, so the query goes on and its answer is
/// dropped.
class resolver {
 public:
  /// Throws `std::runtime_error` if c-ares cannot be set up.
  resolver(asio::io_context& io, resolver_settings settings);
  ~resolver();
  resolver(resolver const&) = delete;
  resolver& operator=(resolver const&) = delete;

  /// Requires a `name` from `parse_dns_name`. Its results are never cached. Returns at the deadline, or up to
  /// `probe_patience` later if the resolver must find out which side causes the silence.
  task<lookup> query(std::string name, record_type type, deadline until);

  /// Requests A and AAAA at once, or one of them. Once one type has answered, the other one has 300 ms left. `name`
  /// is the name of a `host` that is not an address. Results that are at most `max_age` old may come from the cache
  /// (zero: no cache); failures are never cached.
  task<address_lookup> addresses(std::string name, ip_family family, deadline until, milliseconds max_age);

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

/// The outcome of a lookup of TXT records. A value.
struct text_lookup {
  /// The texts, sorted; an empty list if the name or such records do not exist. `std::nullopt` if no answer arrived.
  std::optional<std::vector<std::string>> texts{};
  /// True if our own name servers answer nothing at all, so that the name is not at fault.
  bool resolver_failed = false;
};

/// Looks up the TXT records of `name`. A name that is no name for a lookup gets no answer. `names` outlives the task.
task<text_lookup> read_text_records(resolver& names, std::string name, deadline until);

}  // namespace svc::egress
