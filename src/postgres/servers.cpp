#include "postgres/servers.hpp"

#include "svc/core/fault_words.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <libpq-fe.h>

#include <boost/asio/ip/tcp.hpp>

#include <cstdlib>
#include <memory>

namespace svc::postgres {

namespace {

struct free_options {
  void operator()(PQconninfoOption* all) const { PQconninfoFree(all); }
};
using options = std::unique_ptr<PQconninfoOption, free_options>;

std::string_view value_of(options const& all, std::string_view keyword) {
  for (PQconninfoOption const* o = all.get(); o != nullptr && o->keyword != nullptr; ++o)
    if (keyword == o->keyword) return o->val == nullptr ? std::string_view() : o->val;
  return {};
}

/// Returns the connection string's words; for missing words, the values that libpq reads from the environment.
class connection_words {
 public:
  explicit connection_words(char const* url)
      : said_(PQconninfoParse(url, nullptr)), usual_(said_ ? PQconndefaults() : nullptr) {}

  bool readable() const { return said_ != nullptr; }
  std::string_view operator()(std::string_view keyword) const {
    auto const said = value_of(said_, keyword);
    return said.empty() ? value_of(usual_, keyword) : said;
  }
  /// Returns the port compiled into libpq.
  std::string port_of_libpq() const {
    for (PQconninfoOption const* o = said_.get(); o != nullptr && o->keyword != nullptr; ++o)
      if (std::string_view("port") == o->keyword && o->compiled != nullptr) return o->compiled;
    return {};
  }

 private:
  options said_, usual_;
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  if (list.empty()) return out;
  for (;;) {
    auto const end = list.find(',');
    out.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return out;
    list.remove_prefix(end + 1);
  }
}

std::string repeated(std::string const& word, std::size_t times) {
  std::string out = word;
  for (std::size_t i = 1; i < times; ++i) out += "," + word;
  return out;
}

/// Returns true if the primary is wanted: several servers and no choice mean the primary (`default_session_target`).
bool wants_the_primary(std::string_view target) {
  return target.empty() || target == "primary" || target == "read-write";
}

/// Returns true for a path, an abstract socket or an address.
bool needs_no_lookup(std::string const& host) {
  boost::system::error_code no_address;
  if (host.empty() || host[0] == '/' || host[0] == '@') return true;
  asio::ip::make_address(host, no_address);
  return !no_address;
}

}  // namespace

char const* default_session_target(char const* url) {
  if (std::getenv("PGTARGETSESSIONATTRS") != nullptr) return nullptr;
  connection_words const said(url);
  if (!said.readable()) return nullptr;
  options const own(PQconninfoParse(url, nullptr));
  bool const several =
      said("host").find(',') != std::string_view::npos || said("hostaddr").find(',') != std::string_view::npos;
  return several && value_of(own, "target_session_attrs").empty() ? "primary" : nullptr;
}

std::string server_address::text() const {
  auto const& name = host.empty() ? hostaddr : host;
  if (name.empty()) return {};
  return name.substr(0, name.find(',')) + (port.empty() ? "" : " port " + port.substr(0, port.find(',')));
}

std::vector<server_address> servers_of(char const* url) {
  std::vector<server_address> const whole(1);
  connection_words const said(url);
  if (!said.readable() || !said("service").empty()) return whole;
  auto const hosts = split(said("host")), addresses = split(said("hostaddr")), ports = split(said("port"));
  auto const count = std::max(hosts.size(), addresses.size());
  bool const fits = (hosts.empty() || hosts.size() == count) && (addresses.empty() || addresses.size() == count) &&
                    (ports.size() <= 1 || ports.size() == count);
  if (count == 0 || !fits) return whole;
  options const own(PQconninfoParse(url, nullptr));
  auto target = value_of(own, "target_session_attrs");
  if (char const* const chosen = std::getenv("PGTARGETSESSIONATTRS"); target.empty() && chosen != nullptr)
    target = chosen;
  if (count > 1 && !wants_the_primary(target)) return whole;
  std::vector<server_address> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!hosts.empty()) out[i].host = hosts[i];
    if (!addresses.empty()) out[i].hostaddr = addresses[i];
    if (!ports.empty()) out[i].port = ports.size() == 1 ? ports[0] : ports[i];
    // A URI without ports has a list of empty ports.
    if (out[i].port.empty()) out[i].port = said.port_of_libpq();
    // An empty entry means libpq's own default, which a separate entry cannot express.
    if (count > 1 && out[i].host.empty() && out[i].hostaddr.empty()) return whole;
  }
  return out;
}

std::vector<std::size_t> order_of(std::size_t servers, std::size_t good) {
  std::vector<std::size_t> out;
  if (good < servers) out.push_back(good);
  for (std::size_t i = 0; i < servers; ++i)
    if (i != good) out.push_back(i);
  return out;
}

task<server_address> resolved(asio::io_context& io, server_address which) {
  if (!which.hostaddr.empty() || needs_no_lookup(which.host)) co_return which;
  asio::ip::basic_resolver<asio::ip::tcp, executor> names(io);
  auto const [ec, found] = co_await names.async_resolve(which.host, std::string(), awaiting);
  if (ec || found.empty())
    throw unavailable("PostgreSQL: no address of " + which.host + ": " + in_plain_words(ec.message()));
  std::string addresses;
  for (auto const& entry : found)
    addresses += (addresses.empty() ? "" : ",") + entry.endpoint().address().to_string();
  co_return server_address{repeated(which.host, found.size()), addresses,
                           which.port.empty() ? "" : repeated(which.port, found.size())};
}

}  // namespace svc::postgres
