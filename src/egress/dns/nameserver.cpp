#include "egress/dns/nameserver.hpp"

#include "svc/core/numbers.hpp"
#include "svc/egress/host.hpp"

#include <ares.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace svc::egress {

namespace {

/// RFC 9715, and the flag day of 2020: larger UDP answers are fragmented.
constexpr int largest_udp_answer = 1232;
constexpr int class_in = 1;

void require_ares(int said, char const* subject) {
  if (said == ARES_SUCCESS) return;
  throw std::runtime_error(std::string("c-ares: ") + subject + ": " + ares_strerror(said));
}

/// c-ares counts its users; it needs no more than that.
void start_ares() {
  static int const said = ares_library_init(ARES_LIB_INIT_ALL);
  require_ares(said, "library");
}

/// A question that c-ares has.
struct asked_question {
  std::shared_ptr<open_round> round;
  std::size_t index;
  unsigned step;
};

void take_answer(void* argument, int status, int /*timeouts*/, unsigned char* bytes, int size) noexcept {
  std::unique_ptr<asked_question> const asked(static_cast<asked_question*>(argument));
  std::optional<std::span<std::uint8_t const>> got;
  // NODATA, NXDOMAIN and the others come with their message.
  bool const ended = status == ARES_EDESTRUCTION || status == ARES_ECANCELLED;
  if (bytes != nullptr && size > 0 && !ended) got.emplace(bytes, static_cast<std::size_t>(size));
  asked->round->round.take(asked->step, asked->index, got, steady::now());
  asked->round->changed.cancel();
}

/// From c-ares: what it waits for on a socket.
void take_socket(void* watch, ares_socket_t socket, int read, int write) noexcept {
  static_cast<socket_watch*>(watch)->want(socket, read != 0, write != 0);
}

ares_channel open_channel(socket_watch& sockets, milliseconds patience) {
  start_ares();
  ares_options options{};
  // Errors are passed on with their message; names are taken as they are.
  options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS;
  options.ednspsz = largest_udp_answer;
  // c-ares waits for 9 to 16 sixteenths of it; who asks decides when it has been long enough.
  options.timeout = static_cast<int>(patience.count() * 2);
  options.tries = 1;
  options.ndots = 1;
  options.domains = nullptr;
  options.ndomains = 0;
  char lookups[] = "b";
  options.lookups = lookups;
  char nothing[] = "/dev/null";
  options.resolvconf_path = nothing;
  options.sock_state_cb = &take_socket;
  options.sock_state_cb_data = &sockets;
  ares_channel out = nullptr;
  require_ares(ares_init_options(&out, &options,
                                 ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                                     ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF |
                                     ARES_OPT_SOCK_STATE_CB | ARES_OPT_NOROTATE),
               "channel");
  return out;
}

void set_server(ares_channel channel, nameserver_address const& address) {
  ares_addr_port_node node{};
  node.family = address.address.v4 ? AF_INET : AF_INET6;
  std::memcpy(&node.addr, address.address.bytes.data(), address.address.v4 ? 4 : 16);
  node.udp_port = node.tcp_port = address.port;
  require_ares(ares_set_servers_ports(channel, &node), "server");
}

}  // namespace

std::optional<nameserver_address> parse_nameserver(std::string_view text) {
  if (auto const bare = ip_address::parse(text); bare && text.find('%') == std::string_view::npos)
    return {{*bare, 53}};
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const port = parse_number<std::uint16_t>(text.substr(colon + 1));
  auto const host = parse_host(text.substr(0, colon));
  if (!port || *port == 0 || !host || !host->address) return std::nullopt;
  return {{*host->address, *port}};
}

std::vector<nameserver_address> system_nameservers() {
  start_ares();
  ares_channel channel = nullptr;
  require_ares(ares_init(&channel), "/etc/resolv.conf");
  ares_addr_port_node* all = nullptr;
  int const said = ares_get_servers_ports(channel, &all);
  ares_destroy(channel);
  require_ares(said, "/etc/resolv.conf");
  std::vector<nameserver_address> out;
  for (auto const* node = all; node != nullptr && out.size() < 3; node = node->next) {
    std::array<std::uint8_t, 16> bytes{};
    std::size_t const size = node->family == AF_INET ? 4 : 16;
    std::memcpy(bytes.data(), &node->addr, size);
    out.push_back({ip_address::of(std::span(bytes).first(size)),
                   static_cast<std::uint16_t>(node->udp_port == 0 ? 53 : node->udp_port)});
  }
  if (all != nullptr) ares_free_data(all);
  return out;
}

nameserver::nameserver(asio::io_context& io, nameserver_address const& address, milliseconds patience)
    : sockets_(io, [this](int socket, bool r, bool w) { on_socket(socket, r, w); }), timer_(io) {
  channel_ = open_channel(sockets_, patience);
  try {
    set_server(channel_, address);
  } catch (...) {
    ares_destroy(channel_);
    throw;
  }
}

nameserver::~nameserver() {
  stop();
}

void nameserver::stop() {
  timer_.cancel();
  // Wakes who waits for its questions, and lets its sockets go.
  if (auto* const channel = std::exchange(channel_, nullptr)) ares_destroy(channel);
  sockets_.stop();
}

void nameserver::ask(std::shared_ptr<open_round> const& round, std::size_t i) {
  if (channel_ == nullptr) return;
  round->round.asked();
  auto asked = std::make_unique<asked_question>(asked_question{round, i, round->round.step()});
  // "." is the root for c-ares; empty text is an error.
  auto const& name = round->round.name();
  ares_query(channel_, name.empty() ? "." : name.c_str(), class_in, static_cast<int>(round->round.type(i)),
             &take_answer, asked.release());
  rearm();
}

void nameserver::on_socket(int socket, bool readable, bool writable) {
  auto const self = shared_from_this();
  ares_process_fd(channel_, readable ? socket : ARES_SOCKET_BAD, writable ? socket : ARES_SOCKET_BAD);
  rearm();
}

void nameserver::on_timer() {
  if (channel_ == nullptr) return;
  ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  rearm();
}

void nameserver::rearm() {
  timeval left{};
  if (ares_timeout(channel_, nullptr, &left) == nullptr) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::seconds(left.tv_sec) + microseconds(left.tv_usec));
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->on_timer();
  });
}

}  // namespace svc::egress
